//! `reduce_results`: what the model reads of long results, and what is kept of them.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::config::fixture::ConfigFixture;
use crate::config::server::{ModelReply, TestServer};

/// How many tests the run has, and lines the log.
const MANY: usize = 400;

/// A project whose tests are run by a `pytest` of its own, which fails in one of them, and which has a long log.
fn place(settings: &str) -> ConfigFixture {
    let passed = |at| format!("echo 'tests/test_shapes.py::test_case_{at} PASSED'\n");
    let mut tests: String = (0..MANY).map(passed).collect();
    tests.push_str("echo 'E       assert 6 == 9'\necho 'FAILED tests/test_shapes.py::test_area'\n");
    tests.push_str(&format!(
        "echo '=== 1 failed, {MANY} passed in 0.12s ==='\nexit 1\n"
    ));
    let line = |at| format!("handled request {at}\n");
    let log: String = (1..=MANY).map(line).collect();
    let place = ConfigFixture::new()
        .with_file("project/tests.sh", &tests)
        .with_file("project/work.log", &log)
        .with_user_settings(settings)
        .with_variable("GROQ_API_KEY", "of-the-user");
    // What runs is known by its name, and this is a shell of that name: nothing that was just written is executed.
    std::os::unix::fs::symlink("/bin/sh", place.path("project/pytest")).expect("a link");
    place
}

/// Runs the agent with a model that makes these calls, and returns what the model was told of each.
fn results_for_model(
    place: &ConfigFixture,
    flags: &[&str],
    calls: &[(&str, Value)],
) -> Vec<String> {
    let replies = calls
        .iter()
        .map(|(tool, arguments)| ModelReply::tool_call(tool, arguments));
    let model = TestServer::with_replies(replies.chain([ModelReply::message("Done.")]));
    let url = model.url();
    let run = [
        "run",
        "go",
        "--model",
        "groq/m",
        "--base-url",
        &url,
        "--allow",
        "bash",
    ];
    let seen = place.run(&[&run, flags].concat());
    assert!(seen.starts_with("exit 0"), "{seen}");
    let requests = model.requests();
    assert_eq!(requests.len(), calls.len() + 1, "{seen}");
    // Each request ends with the result of the call before it.
    let results = requests[1..].iter().map(|request| {
        let body = request.json();
        let last = body["messages"]
            .as_array()
            .and_then(|messages| messages.last());
        let last = last.expect("a message");
        assert_eq!(last["role"], "tool", "{last}");
        last["content"].as_str().expect("a text").to_owned()
    });
    results.collect()
}

/// The journals of all conversations.
fn journal(place: &ConfigFixture) -> String {
    let folder = place.path("home/.local/state/helve/assistant/sessions");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let files = files.map(|file| file.path());
    let journals = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let texts = journals.map(|path| std::fs::read_to_string(path).expect("a journal"));
    texts.collect()
}

/// Leaves out how long a command took, and what follows from how long that text is.
fn redact_time(told: &str) -> String {
    let (before, rest) = told.split_once(", after ").expect("a time");
    let (_, rest) = rest.split_once(']').expect("an end");
    let (rest, count) = rest.split_once("[shortened: ").expect("a notice");
    let (_, how) = count.split_once(" characters").expect("a number");
    format!("{before}, after TIME]{rest}[shortened: N of M characters{how}")
}

fn calls() -> [(&'static str, Value); 2] {
    [
        ("bash", json!({ "command": "./pytest tests.sh" })),
        ("read_file", json!({ "path": "work.log" })),
    ]
}

#[test]
fn the_model_reads_what_matters_and_can_read_the_rest() {
    if crate::isolation::skip(
        "config::reducing::the_model_reads_what_matters_and_can_read_the_rest",
    ) {
        return;
    }
    let place = place("");
    let told_first = results_for_model(&place, &[], &calls());
    insta::assert_snapshot!(redact_time(&told_first[0]), @r#"
    <untrusted source="unknown" tool="bash">
    E       assert 6 == 9
    FAILED tests/test_shapes.py::test_area
    === 1 failed, 400 passed in 0.12s ===
    </untrusted>

    [exit code 1, after TIME]

    [shortened: N of M characters; for all of it, read on with read_result(id="t1/1.0", offset=0)]
    "#);
    let shown: Vec<&str> = told_first[1].lines().collect();
    insta::assert_snapshot!(format!("{}\n…\n{}", shown[..2].join("\n"), shown[198..].join("\n")), @r#"
         1	handled request 1
         2	handled request 2
    …
       199	handled request 199
       200	handled request 200
    [lines 201 to 400 are omitted; `read_file` with offset=201 shows them]

    [shortened: 5362 of 10692 characters; for all of it, read on with read_result(id="t1/2.0", offset=0)]
    "#);
    // The whole text is available later, in another process, too.
    let whole = [
        ("read_result", json!({ "id": "t1/1.0", "offset": 0 })),
        ("read_result", json!({ "id": "t1/2.0", "offset": 0 })),
    ];
    let told_later = results_for_model(&place, &["--continue"], &whole);
    for at in 0..MANY {
        assert!(
            told_later[0].contains(&format!("test_case_{at} PASSED\n")),
            "{}",
            told_later[0]
        );
        assert!(
            told_later[1].contains(&format!("handled request {}\n", at + 1)),
            "{}",
            told_later[1]
        );
    }
}

#[test]
fn whoever_says_so_has_the_model_read_all_of_it() {
    if crate::isolation::skip("config::reducing::whoever_says_so_has_the_model_read_all_of_it") {
        return;
    }
    for place in [
        place("reduce_results = false\n"),
        place("").with_variable("HELVE_REDUCE_RESULTS", "false"),
    ] {
        let told = results_for_model(&place, &[], &calls());
        let journal = journal(&place);
        for at in 0..MANY {
            for (told, line) in [
                (&told[0], format!("test_case_{at} PASSED")),
                (&told[1], format!("handled request {}", at + 1)),
            ] {
                let is_line = |told: &str| told.ends_with(&line);
                assert!(told.lines().any(is_line), "{line}: {told}");
                assert!(journal.contains(&format!("{line}\\n")), "{line}: {journal}");
            }
        }
        assert!(!told.concat().contains("shortened"), "{told:?}");
    }
}
