//! Search in recorded sessions.

use serde_json::Value;

use super::fixture::SessionsFixture;

#[test]
fn messages_are_found_by_their_words() {
    let state = SessionsFixture::new();
    insta::assert_snapshot!(state.run(&["search", "asking", "for", "weather"]), @"");
    insta::assert_snapshot!(state.run(&["search", "commits", "--role", "tool", "--limit", "1"]), @"");
    let found: Value =
        serde_json::from_str(&state.stdout_of(&["search", "commit", "--limit", "1", "--json"]))
            .expect("JSON");
    insta::assert_snapshot!(format!("{found:#}"), @"");
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
    insta::assert_snapshot!(state.run(&["search", "commit", "--since", "yesterday"]), @"");
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
