//! Answers and results that come from another process.

use std::time::Duration;

use helve_runtime::agent::session::{
    Entry, MemoryStore, Posting, PostingHeader, SessionError, SessionMetadata, Sessions,
};
use helve_runtime::agent::turn::{Outcome, Plan, Record};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::journal::Durability;
use helve_runtime::transcript::{CallKey, Content, SessionId};

use crate::sessions::{SessionFolder, script};

fn answer_to(call: &str) -> Posting {
    let decision = Decision::AllowOnce {
        message: Some("größer".into()),
    };
    Posting::Answer {
        call: call.parse().unwrap(),
        decision,
    }
}

fn result_of(call: &str) -> Posting {
    Posting::result(call.parse().unwrap(), serde_json::json!({ "größe": 12 }))
}

pub(crate) async fn answer(sessions: &Sessions, id: &SessionId) -> Result<(), SessionError> {
    sessions.post(id, answer_to("t1/1.0")).await
}

fn answered() -> Entry {
    let call = CallKey::new(1, 0);
    Entry::record(
        &script::origin(),
        Record::Answered {
            call,
            decision: Decision::allow_once(),
        },
    )
}

fn finished() -> Entry {
    let outcome = Outcome::ok(Content::text("12"));
    Entry::record(&script::origin(), script::finished(1, outcome))
}

#[tokio::test]
async fn what_another_process_posts_is_picked_up_once_and_gone_when_it_is_written() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let other = place.reopen();
    // The session is not locked now: the posting is picked up when it is opened.
    other.post(&id, result_of("t1/1.1")).await.unwrap();
    let mut session = place.sessions.load(&id).await.unwrap().session;
    answer(&other, &id).await.unwrap();
    let posted = session.take_postings().await.unwrap();
    let postings: Vec<_> = posted.into_iter().map(|posted| posted.posting).collect();
    assert_eq!(postings, [answer_to("t1/1.0"), result_of("t1/1.1")]);
    assert!(
        session.take_postings().await.unwrap().is_empty(),
        "each comes once"
    );

    // The process dies before it has written them: the next one picks them up again.
    drop(session);
    let mut session = place.sessions.load(&id).await.unwrap().session;
    assert_eq!(session.take_postings().await.unwrap().len(), 2);
    session
        .append(answered(), Durability::Synced)
        .await
        .unwrap();
    session
        .append(finished(), Durability::Synced)
        .await
        .unwrap();
    assert_eq!(
        std::fs::read_dir(place.folder.path().join("s.inbox"))
            .unwrap()
            .count(),
        0
    );
}

#[tokio::test]
async fn what_nobody_waits_for_is_refused_where_it_is_posted() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let refused = async |posting| {
        place
            .sessions
            .post(&id, posting)
            .await
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(refused(answer_to("t9/1.0")).await, @"`t9/1.0` does not wait for an answer: no such turn is open");
    insta::assert_snapshot!(refused(answer_to("t1/1.9")).await, @"`t1/1.9` does not wait for an answer: no such call in the current round");
    insta::assert_snapshot!(refused(answer_to("t1/1.1")).await, @"`t1/1.1` does not wait for an answer: the call waits for a result");
    insta::assert_snapshot!(refused(answer_to("t1/1.2")).await, @"`t1/1.2` does not wait for an answer: the call is already allowed");
    insta::assert_snapshot!(refused(result_of("t1/1.0")).await, @"`t1/1.0` does not wait for a result: the call waits for an answer");
    answer(&place.sessions, &id).await.unwrap();
    insta::assert_snapshot!(refused(answer_to("t1/1.0")).await, @"a posting for `t1/1.0` is already pending");
    let mut session = place.sessions.load(&id).await.unwrap().session;
    session
        .append(finished(), Durability::Buffered)
        .await
        .unwrap();
    insta::assert_snapshot!(refused(result_of("t1/1.1")).await, @"`t1/1.1` does not wait for a result: the call is already finished");
}

#[tokio::test]
async fn what_came_too_late_or_is_no_posting_is_put_aside_with_a_reason_and_stops_nothing() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    answer(&place.sessions, &id).await.unwrap();
    let inbox = place.folder.path().join("s.inbox");
    let whole = std::fs::read_to_string(inbox.join("t1%2f1.0.json")).unwrap();
    assert_eq!(
        whole,
        "{\"version\":1,\"type\":\"answer\",\"call\":\"t1/1.0\",\"decision\":{\"type\":\"allow_once\",\"message\":\"größer\"}}\n"
    );
    let put = |name: &str, text: &str| std::fs::write(inbox.join(name), text).unwrap();
    put("no.json", "nonsense");
    put("empty.json", "");
    put("t1%2f1.5.json", &whole);
    put(
        "newer.json",
        &whole.replace("\"version\":1", "\"version\":2"),
    );
    put("stranger.txt", "hello");
    put(".writing", "half a post");
    std::fs::create_dir(inbox.join("folder")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/zero", inbox.join("link.json")).unwrap();

    let mut session = place.sessions.load(&id).await.unwrap().session;
    session
        .append(answered(), Durability::Buffered)
        .await
        .unwrap();
    assert!(session.take_postings().await.unwrap().is_empty());
    let names = |folder: &std::path::Path| {
        let files = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&inbox), [".writing", "refused"]);
    let refused = inbox.join("refused");
    assert_eq!(names(&refused).len(), 16);
    let why = |name: &str| std::fs::read_to_string(refused.join(name)).unwrap();
    assert_eq!(why("link.json.why"), "it is not a regular file\n");
    assert_eq!(why("newer.json.why"), "unsupported version 2: expected 1\n");
    assert_eq!(
        why("t1%2f1.5.json.why"),
        "the file name does not match the call `t1/1.0`\n"
    );
    assert_eq!(
        why("t1%2f1.0.json.why"),
        "`t1/1.0` does not wait for an answer: the call is already allowed\n"
    );
    assert!(session.take_postings().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_refused_and_a_better_one_can_be_posted() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let mut session = place.sessions.load(&id).await.unwrap().session;
    for _ in 0..2 {
        place.reopen().post(&id, result_of("t1/1.1")).await.unwrap();
        let posted = session.take_postings().await.unwrap().remove(0);
        session
            .reject_posting(posted, "`/größe`: expected a string".into())
            .await
            .unwrap();
    }
    let why = place
        .folder
        .path()
        .join("s.inbox/refused/t1%2f1.1.json.why");
    assert_eq!(
        std::fs::read_to_string(why).unwrap(),
        "`/größe`: expected a string\n"
    );
}

#[tokio::test(start_paused = true)]
async fn waiting_has_an_end() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut session = sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    session
        .append_all(script::opening(), Durability::Buffered)
        .await
        .unwrap();
    let begun = tokio::time::Instant::now();
    assert!(
        session
            .wait_for_postings(Duration::from_secs(10))
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
    let (posted, ()) = tokio::join!(
        session.wait_for_postings(Duration::from_secs(3_600)),
        async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            answer(&sessions, &"s".into()).await.unwrap();
        }
    );
    assert_eq!(posted.unwrap().len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(75));
}

#[tokio::test]
async fn a_posting_with_the_same_key_is_the_same_posting() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let by = |author: &str, key: &str| PostingHeader::new().author(author).key(key);
    let post = async |header| {
        place
            .reopen()
            .post_with(&id, answer_to("t1/1.0"), header)
            .await
    };
    post(by("ada", "click-1")).await.unwrap();
    post(by("ada", "click-1")).await.unwrap();
    let error = post(by("bob", "click-2")).await.unwrap_err().to_string();
    let start = "a posting for `t1/1.0` is already pending; `ada` posted it at 20";
    assert!(error.starts_with(start), "{error}");

    let mut session = place.sessions.load(&id).await.unwrap().session;
    let posted = session.take_postings().await.unwrap();
    assert_eq!(posted.len(), 1);
    assert_eq!(posted[0].header.author.as_deref(), Some("ada"));
    assert!(posted[0].header.at.is_some());
    session
        .append(answered(), Durability::Synced)
        .await
        .unwrap();
    // After the answer is recorded, the same posting is still the same, and another one learns who was first.
    post(by("ada", "click-1")).await.unwrap();
    let error = post(by("bob", "click-2")).await.unwrap_err().to_string();
    let start = "`t1/1.0` does not wait for an answer: the call is already allowed; `ada` answered first at 20";
    assert!(error.starts_with(start), "{error}");
    assert!(session.take_postings().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_answer_to_a_question_that_has_changed_is_refused() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let waiting = place.sessions.waiting().await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (&*waiting[0].session, waiting[0].folder.as_deref()),
        ("s", Some("/work"))
    );
    let calls: Vec<_> = waiting[0]
        .waiting
        .iter()
        .map(|waiting| waiting.call.to_string())
        .collect();
    assert_eq!(calls, ["t1/1.0", "t1/1.1"]);
    let shown = PostingHeader::new()
        .author("ada")
        .shown(waiting[0].waiting[0].digest());

    let mut session = place.sessions.load(&id).await.unwrap().session;
    let post = async || {
        place
            .reopen()
            .post_with(&id, answer_to("t1/1.0"), shown.clone())
            .await
    };
    post().await.unwrap();
    // The question changes after the answer was posted, and before it is taken.
    let plan = Plan {
        arguments: Some(r#"{"command":"git push"}"#.into()),
        ..Plan::new(Verdict::ask("it changes something else"))
    };
    let call = CallKey::new(1, 0);
    let edited = Entry::record(&script::origin(), Record::Edited { call, plan });
    session.append(edited, Durability::Buffered).await.unwrap();
    let asked = Entry::record(&script::origin(), Record::Asked { calls: vec![call] });
    session.append(asked, Durability::Buffered).await.unwrap();
    assert!(session.take_postings().await.unwrap().is_empty());
    let why = place
        .folder
        .path()
        .join("s.inbox/refused/t1%2f1.0.json.why");
    insta::assert_snapshot!(std::fs::read_to_string(why).unwrap(), @"`t1/1.0` does not wait for an answer: the question has changed since it was shown");
    // And where it is posted.
    insta::assert_snapshot!(post().await.unwrap_err(), @"`t1/1.0` does not wait for an answer: the question has changed since it was shown");
    answer(&place.sessions, &id).await.unwrap();
    assert_eq!(session.take_postings().await.unwrap().len(), 1);
}

#[tokio::test]
async fn postings_of_older_programs_are_read() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let inbox = place.folder.path().join("s.inbox");
    std::fs::create_dir(&inbox).unwrap();
    let old = r#"{"version":1,"type":"answer","call":"t1/1.0","decision":{"type":"allow_once"}}"#;
    std::fs::write(inbox.join("t1%2f1.0.json"), old).unwrap();
    let mut session = place.sessions.load(&id).await.unwrap().session;
    let posted = session.take_postings().await.unwrap();
    assert_eq!(posted.len(), 1);
    assert_eq!(posted[0].header, PostingHeader::new());
}

#[tokio::test]
async fn a_watched_session_is_noticed_at_once() {
    use futures_util::StreamExt as _;
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let entries = 1 + script::opening().len() as u64;
    let mut changes = place.reopen().watch(&id);
    let mut session = place.sessions.load(&id).await.unwrap().session;
    for seq in entries..entries + 3 {
        let change = changes.next().await.unwrap().unwrap();
        assert_eq!((change.session, change.seq), (id.clone(), seq));
        session
            .append(answered(), Durability::Buffered)
            .await
            .unwrap();
    }
    drop(session);
    place.sessions.remove(&id).await.unwrap();
    let ends = async |mut changes: futures_util::stream::BoxStream<'static, _>| loop {
        match changes.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("the stream ended without an error"),
        }
    };
    assert!(matches!(ends(changes).await, SessionError::Unknown { .. }));
    let unknown = place.sessions.watch(&"../x".into());
    assert!(matches!(
        ends(unknown).await,
        SessionError::InvalidId { .. }
    ));
}
