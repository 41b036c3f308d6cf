//! The graders find what they should, and say all of it.

use helve::testing::{CaseModel, Cases, CasesError};

use super::*;

/// Runs cases, and returns their report.
async fn report_of(lines: &str) -> String {
    let cases = Cases::parse("c.jsonl", lines).unwrap();
    cases.run(subject).await.to_string()
}

#[tokio::test]
async fn all_that_is_wrong_is_told_at_once() {
    let report = report_of(
        r#"{"id":"all","about":"it adds","prompt":"go","state":{"agents":{"main":{"mode":"bypass"}}},"files":{"a.txt":"old"},"model":[{"calls":[{"tool":"add","arguments":{"a":1,"b":2}},{"tool":"delete","arguments":{"path":"a"}}]},"Three."],"expect":[{"text":{"contains":["3"]}},{"text":{"lacks":["Three"]}},{"text":{"matches":"^[0-9]"}},{"text":{"json":{"/a":1}}},{"end":"model_calls"},{"calls":{"exact":["delete"]}},{"calls":{"in_order":["delete","add"]}},{"calls":{"any_order":["add",{"tool":"delete","arguments":{"path":"b"}}]}},{"calls":{"includes":[{"tool":"add","result":"4"},{"tool":"delete","is_error":true}]}},{"forbidden":["delete"]},{"asked":["delete"]},{"at_most":{"model_calls":1,"tool_calls":2}},{"used":{"model_calls":2,"tool_calls":3}},{"files":{"a.txt":"new","b.txt":"x"}},{"files":{"a.txt":null}},{"events":[{"type":"end"},{"type":"turn_started"}]},{"no_events":[{"type":"end"}]},{"messages":["user"]},{"request":{"number":2,"text":"x","lacks_tools":["add"],"has_tools":["fly"]}},{"request":{"number":9}},{"requests":{"main":3}},{"untrusted":true},{"waiting":["t1/1.0"]},{"error":{"contains":["x"]}}]}"#,
    );
    insta::assert_snapshot!(report.await, @"");
}

#[tokio::test]
async fn what_holds_is_silent() {
    let report = report_of(
        r#"{"id":"all","prompt":"go","answers":[{"tool":"delete","arguments":{"path":"a"},"answer":"allow"}],"model":[{"say":"First.","calls":[{"tool":"add","arguments":{"a":1,"b":2}},{"tool":"delete","arguments":{"path":"a"}},{"tool":"delete","arguments":{"path":"b"}}],"usage":[10,5]},"{\"sum\":3}"],"expect":[{"text":{"json":{"/sum":3}}},{"end":"finished"},{"calls":{"exact":["add","delete","delete"],"any_order":["delete","add","delete"],"in_order":["add","delete"],"includes":[{"tool":"delete","is_error":true},{"tool":"delete","agent":"main","result":"deleted a","is_error":false}]}},{"forbidden":["count",{"tool":"delete","arguments":{"path":"c"}}]},{"asked":[{"tool":"delete","arguments":{"path":"a"}},{"tool":"delete","arguments":{"path":"b"}}]},{"at_most":{"model_calls":2,"tokens":15}},{"used":{"model_calls":2,"tool_calls":3,"tokens":15,"cost_micro_usd":0}},{"events":[{"type":"turn_started"},{"type":"end","reason":"finished"}]},{"messages":["user",{"role":"assistant","text":"First.","calls":["add","delete","delete"]},{"role":"tool","text":{"contains":["3\n"]}},"assistant"]},{"request":{"number":2,"last":["tool"],"has_tools":["add"],"text":{"contains":["deleted a"]}}},{"requests":{"main":2,"other":0}},{"untrusted":false},{"waiting":[]},{"files":{"a.txt":null}}]}"#,
    );
    assert_eq!(report.await, "0 of 1 cases failed");
}

#[tokio::test]
async fn what_goes_wrong_with_a_case_itself_is_told() {
    let report = report_of(
        r#"{"id":"trigger","prompt":"go","during":[{"on":{"type":"compacted"},"do":"interrupt"}],"model":["Hi."],"expect":[{"end":"finished"}]}
{"id":"resume","turns":[{"say":"go"},"resume"],"model":["Hi."],"expect":[{"end":"finished"}]}
{"id":"posting","turns":[{"say":"go"},{"answer":{"call":"t1/9.0","decision":"allow"}},{"answer":{"call":"somewhere","decision":"allow"}},{"answer":{"call":"t1/1.0","decision":"defer"}}],"model":["Hi."],"expect":[{"end":"finished"}]}
{"id":"model","prompt":"go","expect":[{"end":"finished"}]}
{"id":"recording","prompt":"go","model":{"recording":"missing.jsonl"},"expect":[{"end":"finished"}]}
{"id":"note","turns":[{"note":{"id":"n1","text":"x","after":true}},{"note":{"id":"n1","text":"x"}},{"revoke":"n2"},{"say":"go"}],"model":["Hi."],"expect":[{"end":"finished"}]}"#,
    );
    insta::assert_snapshot!(report.await, @"");
}

#[test]
fn a_line_that_is_no_case_is_told_with_its_place() {
    let error = |lines: &str| Cases::parse("c.jsonl", lines).unwrap_err().to_string();
    let told = [
        error("{}"),
        error(r#"{"id":"a","prompt":"go","expect":[]}"#),
        error(r#"{"id":"a","expect":[{"end":"finished"}]}"#),
        error(r#"{"id":"a","prompt":"go","expects":[]}"#),
        error(r#"{"id":"a","prompt":"go","expect":[{"ends":"finished"}]}"#),
        error(r#"{"id":"a","prompt":"go","model":[{"says":"x"}],"expect":[{"end":"finished"}]}"#),
        error(
            "\n{\"id\":\"a\",\"prompt\":\"go\",\"expect\":[{\"end\":\"finished\"}]}\n{\"id\":\"a\",\"prompt\":\"go\",\"expect\":[{\"end\":\"finished\"}]}",
        ),
    ];
    insta::assert_snapshot!(told.join("\n"), @"");
    let missing = Cases::load("tests/it/agent/no-cases/*.jsonl").unwrap_err();
    assert!(matches!(missing, CasesError::Io { .. }), "{missing}");
    let missing = Cases::load("tests/it/agent/cases/no-*.jsonl").unwrap_err();
    assert!(missing.to_string().contains("no-*.jsonl"), "{missing}");
}

#[tokio::test]
async fn a_recording_is_the_model_of_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let recording = "{\"helve_recording\":1}\n{\"events\":[{\"type\":\"text_delta\",\"text\":\"Hello.\"},{\"type\":\"stop\",\"reason\":\"end_turn\"}]}\n";
    std::fs::write(folder.path().join("said.jsonl"), recording).unwrap();
    let case = r#"{"id":"a","prompt":"go","model":{"recording":"said.jsonl"},"expect":[{"text":"Hello."},{"request":{"number":1,"messages":[{"role":"user","text":"go"}]}}]}"#;
    std::fs::write(folder.path().join("cases-1.jsonl"), case).unwrap();
    let cases = Cases::load(folder.path().join("cases-*.jsonl")).unwrap();
    let model = cases.iter().next().unwrap().model.clone();
    assert_eq!(model, Some(CaseModel::Recording("said.jsonl".into())));
    cases.run(subject).await.assert_passed();
}
