//! What a client's model reads of long results.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::INITIALIZE;
use super::program::{ServeProcess, folder};

/// Makes these calls, one after the other, and returns what the client is told of each.
fn results_for_client(folder: &Path, calls: &[(&str, Value)]) -> Vec<String> {
    let arguments = ["serve", "--stdio", "--tools", "read_file"];
    let mut program = ServeProcess::start(folder, &arguments);
    let mut input = program.input();
    let lines = BufReader::new(program.output()).lines();
    let mut answers = lines
        .map_while(Result::ok)
        .map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    writeln!(input, "{INITIALIZE}\n{initialized}").expect("the server reads");
    let told = calls.iter().enumerate().map(|(at, (tool, arguments))| {
        let params = json!({ "name": tool, "arguments": arguments });
        let id = format!("call {at}");
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        writeln!(input, "{call}").expect("the server reads");
        let answer = answers.find(|answer| answer["id"] == id.as_str());
        let answer = answer.expect("an answer");
        let blocks = answer["result"]["content"].as_array().expect("a content");
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        texts.map(|text| format!("{text}\n")).collect()
    });
    told.collect()
}

/// Reports whether a text has all lines of the file.
fn has_all_lines(told: &str) -> bool {
    let is_there = |at| {
        let end = format!("\thandled request {at}");
        told.lines().any(|line| line.ends_with(&end))
    };
    (1..=400).all(is_there)
}

#[test]
fn a_long_result_is_made_shorter_unless_the_settings_say_otherwise() {
    let folder = folder();
    let lines: String = (1..=400)
        .map(|at| format!("handled request {at}\n"))
        .collect();
    std::fs::write(folder.path().join("work.log"), lines).expect("a file");
    let read = ("read_file", json!({ "path": "work.log" }));
    // A model that gets the notice can read on, whatever tools are served.
    let read_on = ("read_result", json!({ "id": "mcp/1.0", "offset": 0 }));
    let told_first = results_for_client(folder.path(), &[read.clone(), read_on]);
    let end: Vec<&str> = told_first[0].lines().skip(199).collect();
    insta::assert_snapshot!(end.join("\n"), @r#"
       200	handled request 200
    [lines 201 to 400 are omitted; `read_file` with offset=201 shows them]
    [shortened: 5362 of 10692 characters; for all of it, read on with read_result(id="mcp/1.0", offset=0)]
    "#);

    assert!(!has_all_lines(&told_first[0]));
    assert!(has_all_lines(&told_first[1]), "{}", told_first[1]);

    std::fs::write(folder.path().join("helve.toml"), "reduce_results = false\n").expect("a file");
    let told = results_for_client(folder.path(), &[read]);
    assert!(has_all_lines(&told[0]), "{}", told[0]);
    assert!(!told[0].contains("shortened"), "{}", told[0]);
}
