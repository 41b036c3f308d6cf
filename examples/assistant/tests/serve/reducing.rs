//! What a client's model reads of long results.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use serde_json::Value;

use super::INITIALIZE;
use super::program::{Program, folder};

const READ: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"work.log"}}}"#;

/// Returns what a client is told of a file that it reads.
fn told(folder: &Path) -> String {
    let mut program = Program::start(folder, &["serve", "--stdio"]);
    let mut input = program.input();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    writeln!(input, "{INITIALIZE}\n{initialized}\n{READ}").expect("the server reads");
    let lines = BufReader::new(program.output()).lines();
    let mut answers = lines
        .map_while(Result::ok)
        .map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
    let answer = answers.find(|answer| answer["id"] == 2).expect("an answer");
    let blocks = answer["result"]["content"].as_array().expect("a content");
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    texts.map(|text| format!("{text}\n")).collect()
}

#[test]
fn a_long_result_is_made_shorter_unless_the_settings_say_otherwise() {
    let folder = folder();
    let lines: String = (1..=400)
        .map(|at| format!("handled request {at}\n"))
        .collect();
    std::fs::write(folder.path().join("work.log"), lines).expect("a file");
    let short = told(folder.path());
    let end: Vec<&str> = short.lines().skip(199).collect();
    insta::assert_snapshot!(end.join("\n"), @r#"
       200	handled request 200
    [lines 201 to 400 are left out here; `read_file` with offset=201 shows them]
    [shortened: 5368 of 10692 characters; for all of it, read on with read_result(id="mcp/1.0", offset=0)]
    "#);

    std::fs::write(folder.path().join("helve.toml"), "reduce_results = false\n").expect("a file");
    let whole = told(folder.path());
    for at in 1..=400 {
        let end = format!("\thandled request {at}");
        assert!(
            whole.lines().any(|line| line.ends_with(&end)),
            "{at}: {whole}"
        );
    }
    assert!(!whole.contains("shortened"), "{whole}");
}
