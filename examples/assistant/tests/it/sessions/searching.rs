//! Search in recorded sessions.

use serde_json::Value;

use super::fixture::SessionsFixture;

#[test]
fn messages_are_found_by_their_words() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["search", "asking", "for", "weather"]), @"
    exit 0
    --- stdout
    2026-11-22 09:30  waits  t1  assistant  Commit this. # And then?
      I will commit it, and ask for the weather.
    ");
    insta::assert_snapshot!(state.run(&["search", "commits", "--role", "tool", "--limit", "1"]), @r#"
    exit 0
    --- stdout
    2026-11-22 09:30  waits  t1  tool  Commit this. # And then?
      bash {"command":"git commit -m 'größer'"}
    "#);
    let mut found: Value =
        serde_json::from_str(&state.stdout_of(&["search", "commit", "--limit", "1", "--json"]))
            .expect("JSON");
    assert!(found[0]["score"].take().as_f64() > Some(0.0));
    insta::assert_snapshot!(format!("{found:#}"), @r#"
    [
      {
        "session": "waits",
        "title": "Commit this. # And then?",
        "folder": "/work/größe",
        "turn": "t1",
        "entry": 2,
        "role": "user",
        "at": "2026-11-22T09:30:01.000Z",
        "snippet": "Commit this. # And then?",
        "score": null,
        "next": {
          "role": "assistant",
          "text": "I will commit it, and ask for the weather."
        },
        "label": {
          "grade": "user"
        }
      }
    ]
    "#);
    assert_eq!(
        state.stdout_of(&["search", "nothing-like-it"]),
        "no matches"
    );
    assert_eq!(
        state.stdout_of(&["search", "commit", "--here"]),
        "no matches"
    );
    assert_eq!(
        state.stdout_of(&["search", "commit", "--since", "2030-01-01"]),
        "no matches"
    );
    insta::assert_snapshot!(state.run(&["search", "commit", "--since", "yesterday"]), @"
    exit 2
    --- stderr
    error: invalid value 'yesterday' for '--since <TIME>': write a day such as 2026-10-01, or a time such as 2026-10-01T08:00Z

    For more information, try '--help'.
    ");
}

#[test]
fn a_removed_index_is_made_again_and_a_removed_session_is_not_found() {
    let state = SessionsFixture::new();
    let search = ["search", "weather", "--role", "assistant"];
    let found = state.stdout_of(&search);
    let index = state.path().join("assistant/text-index.db");
    std::fs::write(&index, "this is no index").expect("a file");
    assert_eq!(state.stdout_of(&search), found);
    std::fs::remove_file(&index).expect("a file");
    assert_eq!(state.stdout_of(&search), found);
    assert_eq!(
        state.stdout_of(&["search", "weather", "--reindex", "--role", "assistant"]),
        found
    );
    state.run(&["rm", "waits"]);
    assert_eq!(
        state.stdout_of(&["search", "weather", "--session", "waits"]),
        "no matches"
    );
}
