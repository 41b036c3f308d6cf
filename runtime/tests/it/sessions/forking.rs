//! Sessions that go on from others, and sessions that go away.

use helve_runtime::agent::session::{Entry, Fork, SessionError, SessionMetadata};
use helve_runtime::transcript::journal::Durability;

use crate::sessions::{SessionFolder, script};

#[tokio::test]
async fn a_fork_has_the_entries_up_to_one_with_their_numbers_and_times() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::everything()).await;
    let before = place.bytes(&id);
    for at in [1, 2, 13, 14, 17, 30] {
        let fork = place.sessions.fork(&id, Some(at)).await.unwrap();
        assert_eq!(fork.state().seq, at);
        let about = fork.state().metadata.clone().unwrap();
        assert_eq!(
            about.forked_from,
            Some(Fork {
                session: id.clone(),
                entry: at
            })
        );
        assert_eq!(
            (&about.session, about.folder.as_deref()),
            (fork.id(), Some("/work"))
        );
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        place
            .sessions
            .visit(&id, at, |line| ours.push(line.clone()))
            .await
            .unwrap();
        place
            .sessions
            .visit(fork.id(), u64::MAX, |line| theirs.push(line.clone()))
            .await
            .unwrap();
        assert_eq!(ours[1..], theirs[1..]);
        assert_eq!(ours[0].at, theirs[0].at);
    }
    assert_eq!(place.bytes(&id), before, "the other session is as it was");
}

#[tokio::test]
async fn a_fork_goes_its_own_way() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let mut original = place.sessions.load(&id).await.unwrap().session;
    // It can be made while another process writes to the other.
    let mut fork = place.sessions.fork(&id, None).await.unwrap();
    assert_eq!(fork.state().seq, original.state().seq);
    assert_eq!(fork.state().open_turns, original.state().open_turns);
    let state = |value: u32| Entry::State {
        name: "x".into(),
        value: value.into(),
    };
    original
        .append(state(1), Durability::Buffered)
        .await
        .unwrap();
    fork.append(state(2), Durability::Buffered).await.unwrap();
    let read = async |id| {
        place
            .sessions
            .read(id)
            .await
            .unwrap()
            .state::<u32>("x")
            .unwrap()
    };
    assert_eq!((read(&id).await, read(fork.id()).await), (Some(1), Some(2)));
}

#[tokio::test]
async fn there_is_no_fork_from_an_entry_that_is_not_there() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    for at in [0, 100] {
        let error = place.sessions.fork(&id, Some(at)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("session `s` has no entry {at}: it has 14 entries")
        );
    }
    let error = place
        .sessions
        .fork(&"nobody".into(), None)
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "session `nobody` not found");
    assert_eq!(place.sessions.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_long_session_is_copied_in_pieces() {
    let place = SessionFolder::new();
    let text = "x".repeat(100_000);
    let state = |number: usize| Entry::State {
        name: format!("{number}"),
        value: text.clone().into(),
    };
    let id = place.write_session("s", (0..35).map(state).collect()).await;
    let fork = place.sessions.fork(&id, Some(30)).await.unwrap();
    assert_eq!(fork.state().seq, 30);
    let fork = fork.id().clone();
    let history = place.reopen().read(&fork).await.unwrap();
    assert_eq!(
        history.state::<String>("28").unwrap().as_deref(),
        Some(&*text)
    );
    assert_eq!(history.state::<String>("29").unwrap(), None);
}

#[tokio::test]
async fn a_session_is_removed_with_all_that_is_its_own_and_nothing_else() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let other = place.write_session("s2", script::opening()).await;
    let inbox = place.folder.path().join("s.inbox");
    std::fs::create_dir(&inbox).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("precious"), "x").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), inbox.join("link")).unwrap();

    let open = place.sessions.load(&id).await.unwrap();
    let error = place.reopen().remove(&id).await.unwrap_err();
    assert!(matches!(error, SessionError::InUse { .. }), "{error}");
    assert!(place.store.file(&id).unwrap().exists());
    drop(open);

    place.reopen().remove(&id).await.unwrap();
    assert!(!place.store.file(&id).unwrap().exists() && !inbox.exists());
    assert!(outside.path().join("precious").exists());
    assert!(place.sessions.load(&other).await.is_ok());
    let error = place.sessions.remove(&id).await.unwrap_err();
    assert_eq!(error.to_string(), "session `s` not found");
    for bad in ["../s2", "", "s/../s2"] {
        let error = place.sessions.remove(&bad.into()).await.unwrap_err();
        assert!(matches!(error, SessionError::InvalidId { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_list_shows_all_newest_first_and_what_is_wrong_with_some() {
    let place = SessionFolder::new();
    let done = place.write_session("done", script::everything()).await;
    let open = place.write_session("open", script::opening()).await;
    let empty = place
        .sessions
        .create(SessionMetadata::new("test").session("empty"))
        .await
        .unwrap();
    std::fs::write(place.folder.path().join("broken.jsonl"), "what?\n").unwrap();
    std::fs::write(place.folder.path().join("notes.txt"), "mine").unwrap();
    // A torn line at the end is not there yet.
    let mut bytes = place.bytes(&open);
    bytes.extend_from_slice(br#"{"seq":15,"at":"#);
    std::fs::write(place.store.file(&open).unwrap(), bytes).unwrap();

    let list = place.sessions.list().await.unwrap();
    let seen: Vec<_> = list
        .iter()
        .map(|one| {
            (
                one.session.to_string(),
                one.entries,
                one.open,
                one.title.is_some(),
                one.problem.is_some(),
            )
        })
        .collect();
    let mut expected = vec![
        (empty.id().to_string(), 1, false, false, false),
        (open.to_string(), 14, true, true, false),
        (done.to_string(), 31, false, true, false),
        ("broken".to_owned(), 0, false, false, true),
    ];
    let by_time = list.is_sorted_by(|one, other| one.updated >= other.updated);
    assert!(by_time);
    expected.sort();
    let mut seen = seen;
    seen.sort();
    assert_eq!(seen, expected);
}
