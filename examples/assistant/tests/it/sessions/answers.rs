//! What waits for answers and results, and how they are given.

use serde_json::Value;

use super::fixture::SessionsFixture;
use super::names;

#[test]
fn one_list_shows_what_waits_in_all_sessions() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["waiting"]), @r#"
        exit 0
        --- stdout
        waits  Commit this.

        t1/1.0  bash {"command":"git commit -m 'größer'"}
          needs approval: it changes the repository; --always: bash(git commit:*)
          assistant sessions answer waits t1/1.0 allow (or reject)

        t1/1.1  get_weather {"city":"Paris"}
          waits for an external result
          assistant sessions result waits t1/1.1 JSON
        "#);
    let list: Value = serde_json::from_str(&state.stdout_of(&["waiting", "--json"])).expect("JSON");
    let digest = list[0]["waiting"][0]["digest"].as_str().expect("a digest");
    let answer = |options: &[&str]| {
        let call = ["answer", "waits", "t1/1.0", "allow"];
        state.run(&[&call, options].concat())
    };
    let stale = answer(&["--shown", "another"]);
    assert!(
        stale.contains("the question has changed since it was shown"),
        "{stale}"
    );
    assert_eq!(
        answer(&["--shown", digest, "--key", "k", "--as", "ada"]),
        "exit 0\n--- stdout\nallowed t1/1.0 of waits\n"
    );
    assert_eq!(
        answer(&["--shown", digest, "--key", "k", "--as", "ada"]),
        "exit 0\n--- stdout\nallowed t1/1.0 of waits\n"
    );
    let late = answer(&["--key", "l", "--as", "bob"]);
    assert!(
        late.contains("is already pending; `ada` posted it at"),
        "{late}"
    );
    let empty = SessionsFixture::empty();
    assert_eq!(
        empty.run(&["waiting"]),
        "exit 0\n--- stdout\nnothing waits for an answer\n"
    );
}
#[test]
fn an_answer_is_left_for_whoever_has_the_session() {
    let state = SessionsFixture::new();
    assert_eq!(
        state.run(&[
            "answer",
            "waits",
            "t1/1.0",
            "allow",
            "--always",
            "--message",
            "go on"
        ]),
        "exit 0\n--- stdout\nallowed t1/1.0 of waits\n"
    );
    let inbox = state.sessions().join("waits.inbox");
    assert_eq!(names(&inbox), ["t1%2f1.0.json"]);
    insta::assert_snapshot!(std::fs::read_to_string(inbox.join("t1%2f1.0.json")).expect("the posting"), @r#"{"version":1,"type":"answer","call":"t1/1.0","decision":{"type":"allow_always","rules":["bash(git commit:*)"],"scope":"session","message":"go on"}}"#);
    insta::assert_snapshot!(state.run(&["answer", "waits", "t1/1.0", "reject"]), @"
        exit 1
        --- stderr
        error: a posting for `t1/1.0` is already pending
        ");
    insta::assert_snapshot!(state.run(&["answer", "done", "t1/1.0", "reject"]), @"
        exit 2
        --- stderr
        error: `t1/1.0` does not wait for an answer: no such turn is open
        ");
    insta::assert_snapshot!(state.run(&["answer", "waits", "t1/7.0", "allow", "--always"]), @"
        exit 2
        --- stderr
        error: `t1/7.0` does not wait for an answer: no such call in the current round
        ");
    insta::assert_snapshot!(state.run(&["answer", "waits", "1.0", "allow"]), @"
        exit 2
        --- stderr
        error: invalid value '1.0' for '<CALL>': invalid call address `1.0`; expected `turn/round.index`, for example `t1/2.0`

        For more information, try '--help'.
        ");
}

#[test]
fn a_result_has_to_be_json_and_awaited() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["result", "waits", "t1/1.1", "{"]), @r"
        exit 2
        --- stderr
        error: the result is not valid JSON: EOF while parsing an object at line 1 column 1
        ");
    insta::assert_snapshot!(state.run(&["result", "waits", "t1/1.1", "{}"]), @"
        exit 0
        --- stdout
        submitted the result of t1/1.1 of waits
        ");
}
