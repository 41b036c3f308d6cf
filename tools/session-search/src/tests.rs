//! The tools on recorded sessions.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use helve::agent::session::{Entry, FolderStore, SessionMetadata, SessionStore as _};
use helve::agent::turn::{Bounds, EndReason, Purpose, Record};
use helve::model::{Reply, StopReason};
use helve::session_search::SessionSearch;
use helve::tool::Principal;
use helve::transcript::journal::{Durability, Timestamp};
use helve::transcript::{
    AssistantMessage, Cost, Label, Message, MessagePart, Origin, Source, Totals, Usage,
};
use helve::{State, ToolContext};

/// Records a session with one turn.
async fn record(
    folder: &std::path::Path,
    about: SessionMetadata,
    prompt: &str,
    reply: &str,
    label: Label,
) {
    let at = Timestamp::from_millis(1_790_000_000_000);
    let id = about.session.clone();
    let store = FolderStore::new(folder.join("sessions"));
    let mut writer = store
        .create(&id, vec![(at, Entry::Created(about))])
        .await
        .unwrap();
    let origin = Origin::new("main", "t1");
    let text = MessagePart::Text {
        text: reply.to_owned(),
    };
    let reply = Reply {
        message: AssistantMessage::new(vec![text]),
        stop: StopReason::EndTurn,
        usage: Usage::default(),
    };
    let done = Record::ModelDone {
        round: 1,
        purpose: Purpose::Reply,
        cost: Cost::ZERO,
        reply,
    };
    let begin = Entry::turn_started(&origin, Bounds::new(5), vec![Message::user(prompt)]);
    let entries = [
        begin.with_label(label),
        Entry::record(&origin, done),
        Entry::turn_ended(&origin, EndReason::Finished, None, Totals::default()),
    ];
    let entries: Vec<_> = entries.into_iter().map(|entry| (at, entry)).collect();
    writer
        .append(entries.into(), Durability::Buffered)
        .await
        .unwrap();
}

fn context(folder: &std::path::Path) -> ToolContext {
    let mut state = State::new();
    state.insert(SessionSearch::in_folder(folder.join("sessions"), folder));
    let builder = ToolContext::builder().app(Arc::new(state));
    builder.principal(Principal::user("ann")).build()
}

fn about(id: &str, user: &str) -> SessionMetadata {
    let about = SessionMetadata::new("notes")
        .session(id)
        .folder("/work/site");
    about.principal(Principal::user(user))
}

async fn call(tool: &str, arguments: &str, cx: &ToolContext) -> String {
    match crate::toolset().call(tool, arguments, cx).await {
        Ok(output) => output.text().into_owned(),
        Err(error) => format!("error: {error}"),
    }
}

#[tokio::test]
async fn messages_are_found_and_read_by_their_user() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (question, answer) = (
        "Which branch is deployed?",
        "It is `stable`, the branch of releases.",
    );
    record(
        folder,
        about("first", "ann"),
        question,
        answer,
        Label::user(),
    )
    .await;
    record(
        folder,
        about("other", "bob"),
        "a secret branch",
        "of bob",
        Label::user(),
    )
    .await;
    let cx = context(folder);
    let found = call(
        "session_search",
        r#"{"query": "release branches", "folders": "all"}"#,
        &cx,
    )
    .await;
    insta::assert_snapshot!(found, @r#"
    2 messages match `release branches`, the best first:

    1. 2026-09-21 14:13, session first, turn t1: "Which branch is deployed?", in /work/site
       [user] Which branch is deployed?
     > [assistant] It is `stable`, the branch of releases.

    2. 2026-09-21 14:13, session first, turn t1: "Which branch is deployed?", in /work/site
     > [user] Which branch is deployed?
       [assistant] It is `stable`, the branch of releases.
    "#);
    let read = call("session_read", r#"{"session": "first", "limit": 1}"#, &cx).await;
    insta::assert_snapshot!(read, @"
    Session first, 2026-09-21 14:13, in /work/site: messages 1 to 1 of 2; read on with `offset`: 1

    [user, 2026-09-21 14:13, turn t1]
    Which branch is deployed?
    ");
    let read = call(
        "session_read",
        r#"{"session": "first", "turn": "t1", "offset": 5}"#,
        &cx,
    )
    .await;
    insta::assert_snapshot!(read, @"Session first, 2026-09-21 14:13, in /work/site: there are 2 messages of the turn t1, and none after number 5");
    let others = call("session_read", r#"{"session": "other"}"#, &cx).await;
    assert!(
        others.starts_with("error: ") && !others.contains("secret"),
        "{others}"
    );
    let missing = call("session_read", r#"{"session": "../first"}"#, &cx).await;
    assert!(missing.starts_with("error: "), "{missing}");
    let time = call(
        "session_search",
        r#"{"query": "branch", "since": "yesterday"}"#,
        &cx,
    )
    .await;
    insta::assert_snapshot!(time, @"error: `yesterday` is not a time; write a day such as `2026-10-01`, or a time such as `2026-10-01T08:00:00Z`");
    let later = r#"{"query": "branch", "folders": "all", "since": "2030-01-01"}"#;
    assert_eq!(
        call("session_search", later, &cx).await,
        "No message matches `branch`; try other words."
    );
}

#[tokio::test]
async fn a_result_has_the_provenance_of_what_it_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let web = Label::from(Source::web("web_fetch", "https://example.com"));
    record(
        folder.path(),
        about("first", "ann"),
        "a tower",
        "an answer",
        web,
    )
    .await;
    record(
        folder.path(),
        about("second", "ann"),
        "a river",
        "an answer",
        Label::user(),
    )
    .await;
    let cx = context(folder.path());
    for (query, is_untrusted) in [("tower", true), ("river", false)] {
        let arguments = format!(r#"{{"query": "{query}", "folders": "all"}}"#);
        let output = crate::toolset()
            .call("session_search", &arguments, &cx)
            .await
            .unwrap();
        let label = output.into_parts().label.unwrap_or_default();
        assert_eq!(
            (label.is_untrusted(), label.is_private()),
            (is_untrusted, true),
            "{query}"
        );
    }
    for (session, is_untrusted) in [("first", true), ("second", false)] {
        let arguments = format!(r#"{{"session": "{session}"}}"#);
        let output = crate::toolset()
            .call("session_read", &arguments, &cx)
            .await
            .unwrap();
        let label = output.into_parts().label.unwrap_or_default();
        assert_eq!(label.is_untrusted(), is_untrusted);
    }
}
