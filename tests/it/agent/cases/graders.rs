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
        r#"{"id":"all","about":"it adds","prompt":"go","state":{"agents":{"main":{"mode":"bypass"}}},"files":{"a.txt":"old"},"model":[{"calls":[{"tool":"add","arguments":{"a":1,"b":2}},{"tool":"delete","arguments":{"path":"a"}}]},"Three."],"expect":[{"text":{"contains":["3"]}},{"text":{"lacks":["Three"]}},{"text":{"matches":"^[0-9]"}},{"text":{"json":{"/a":1}}},{"end":"model_calls"},{"calls":{"exact":["delete"]}},{"calls":{"in_order":["delete","add"]}},{"calls":{"any_order":["add",{"tool":"delete","arguments":{"path":"b"}}]}},{"calls":{"includes":[{"tool":"add","result":"4"},{"tool":"delete","is_error":true}]}},{"forbidden":["delete"]},{"asked":["delete"]},{"at_most":{"model_calls":1,"tool_calls":2}},{"used":{"model_calls":2,"tool_calls":3}},{"files":{"a.txt":"new","b.txt":"x"}},{"files":{"a.txt":null}},{"events":[{"type":"end"},{"type":"turn_started"}]},{"no_events":[{"type":"message_delta"}]},{"messages":["user"]},{"request":{"number":1,"text":"x","lacks_tools":["add"],"has_tools":["fly"]}},{"request":{"number":9}},{"requests":{"main":3}},{"untrusted":true},{"waiting":["t1/1.0"]},{"error":{"contains":["x"]}}]}"#,
    );
    insta::assert_snapshot!(report.await, @r#"
    1 of 1 cases failed

    case all (c.jsonl:1): it adds
      - expectation 1, text: `Three.` does not contain `3`
      - expectation 2, text: `Three.` contains `Three`
      - expectation 3, text: `Three.` does not match `^[0-9]`
      - expectation 4, text: `Three.` is not JSON: expected value at line 1 column 1
      - expectation 5, end: `finished` is not `model_calls`
      - expectation 6, calls: there are 2 calls, not 1
      - expectation 6, calls: call 1: the tool is `add`, not `delete`
      - expectation 7, calls: the call `add` is missing, in this place or at all
      - expectation 8, calls: the call `delete {"path":"b"}` is missing
      - expectation 9, calls: the call `add` is missing
      - expectation 9, calls: the call `delete` is missing
      - expectation 10, forbidden: the call `main: delete {"path":"a"}` is forbidden
      - expectation 11, asked: there are 0 calls, not 1
      - expectation 12, at_most: 2 model calls, more than 1
      - expectation 13, used: 2 tool calls, not 3
      - expectation 14, files: the file `a.txt`: `old` is not `new`
      - expectation 14, files: the file `b.txt` does not exist
      - expectation 15, files: the file `a.txt` exists
      - expectation 16, events: the event {"type":"turn_started"} is missing, in this place or at all
      - expectation 17, no_events: the event {"type":"message_delta","text":"Three.","agent":"main","turn":"t1"} was emitted
      - expectation 18, messages: there are 4 messages, not 1: ["user: go", "assistant:  [add, delete]", "tool: 3\ndeleted a", "assistant: Three."]
      - expectation 19, request: `go` is not `x`
      - expectation 19, request: the tool `fly` is not offered
      - expectation 19, request: the tool `add` is offered
      - expectation 20, request: there are 2 requests
      - expectation 21, requests: `main` got 2 requests, not 3
      - expectation 22, untrusted: `false` is not `true`
      - expectation 23, waiting: the turn waits for [], not ["t1/1.0"]
      - expectation 24, error: `` does not contain `x`
      what happened:
        main: add {"a":1,"b":2} → 3
        main: delete {"path":"a"} → deleted a
        end: finished, text: Three.
    "#);
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
    insta::assert_snapshot!(report.await, @r#"
    6 of 6 cases failed

    case trigger (c.jsonl:1)
      - no event was {"type":"compacted"}, so nothing was done at it
      what happened:
        end: finished, text: Hi.

    case resume (c.jsonl:2)
      - there is no open turn to resume
      what happened:
        end: finished, text: Hi.

    case posting (c.jsonl:3)
      - the posting for `t1/9.0` was refused: `t1/9.0` does not wait for an answer: no such turn is open
      - `somewhere` is no address of a call
      - the answer to `t1/1.0` cannot be posted
      what happened:
        end: finished, text: Hi.

    case model (c.jsonl:4)
      - expectation 1, end: `model_failed` is not `finished`
      what happened:
        end: model_failed, text: (The turn ended here: the model failed.)
        error: the model's script is exhausted: all 0 replies were used and another one was requested

    case recording (c.jsonl:5)
      - the recording missing.jsonl could not be read: No such file or directory (os error 2)

    case note (c.jsonl:6)
      - the note `n1` was refused
      - there is no note `n2` to revoke
      what happened:
        end: finished, text: Hi.
    "#);
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
    insta::assert_snapshot!(told.join("\n"), @"
    c.jsonl:1: missing field `id` at line 1 column 2
    c.jsonl:1: `expect` is empty, so that nothing is checked
    c.jsonl:1: there is neither a `prompt` nor `turns`
    c.jsonl:1: unknown field `expects`, expected one of `id`, `about`, `source`, `differs`, `agent`, `prompt`, `turns`, `files`, `state`, `model`, `models`, `answers`, `during`, `expect` at line 1 column 33
    c.jsonl:1: unknown variant `ends`, expected one of `text`, `end`, `error`, `calls`, `forbidden`, `asked`, `waiting`, `at_most`, `used`, `files`, `events`, `no_events`, `messages`, `request`, `requests`, `untrusted` at line 1 column 41
    c.jsonl:1: unknown field `says`, expected one of `say`, `calls`, `fail`, `hangs`, `usage`, `stop` at line 1 column 46
    c.jsonl:3: there is another case `a`
    ");
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
