//! One writer a session, however it lives and dies.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use helve_runtime::agent::session::FolderStore;
use helve_runtime::agent::session::{Entry, SessionError, SessionMetadata, Sessions};
use helve_runtime::transcript::journal::Durability;

use crate::sessions::{SessionFolder, script};

fn state(value: u32) -> Entry {
    Entry::State {
        name: "x".into(),
        value: value.into(),
    }
}

#[tokio::test]
async fn a_second_writer_is_refused_and_told_who_the_first_is() {
    let place = SessionFolder::new();
    let program = std::env::current_exe().unwrap();
    let program = program.file_name().unwrap().display();
    let session = place
        .sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    for sessions in [&place.sessions, &place.reopen()] {
        let error = sessions.load(session.id()).await.unwrap_err();
        let text = error.to_string();
        let expected = format!(
            "session `s` is in use by process {} (`{program}",
            std::process::id()
        );
        assert!(text.starts_with(&expected), "{text}");
        assert!(
            text.ends_with("`): only one process can write to a session at a time"),
            "{text}"
        );
        // A reader needs no lock.
        assert_eq!(
            sessions.read(session.id()).await.unwrap().session_state.seq,
            1
        );
    }
    drop(session);
    place.reopen().load(&"s".into()).await.unwrap();
}

#[tokio::test]
async fn two_cannot_begin_the_same_session() {
    let place = SessionFolder::new();
    let about = || SessionMetadata::new("test").session("s");
    let session = place.sessions.create(about()).await.unwrap();
    let error = place.reopen().create(about()).await.unwrap_err();
    assert!(matches!(error, SessionError::InUse { .. }), "{error}");
    drop(session);
    let error = place.reopen().create(about()).await.unwrap_err();
    assert_eq!(error.to_string(), "session `s` already exists");
}

#[tokio::test]
async fn of_two_that_come_at_once_one_gets_it() {
    let place = SessionFolder::new();
    let id = place.write_session("s", Vec::new()).await;
    for _ in 0..20 {
        let stores = [place.reopen(), place.reopen(), place.reopen()];
        let (one, two, three) = tokio::join!(
            stores[0].load(&id),
            stores[1].load(&id),
            stores[2].load(&id)
        );
        let won = [one, two, three].into_iter().filter(Result::is_ok).count();
        assert_eq!(won, 1);
    }
}

/// Not a test of its own: the process that the next one kills.
#[tokio::test]
async fn holder() {
    let Some(folder) = std::env::var_os("HELVE_TEST_HOLDS") else {
        return;
    };
    let sessions = Sessions::new(FolderStore::new(folder));
    let mut session = sessions.load(&"s".into()).await.unwrap().session;
    session
        .append(state(1), Durability::Buffered)
        .await
        .unwrap();
    println!("holding");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_session_is_free_when_the_process_that_had_it_is_killed() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sessions::locking::holder", "--nocapture"])
        .env("HELVE_TEST_HOLDS", place.folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("holding")));
    let error = place.sessions.load(&id).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("process {}", child.id())),
        "{error}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let loaded = place.sessions.load(&id).await.unwrap();
    assert_eq!(
        loaded.history.state::<u32>("x").unwrap(),
        Some(1),
        "what it wrote is there"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn hundreds_of_open_sessions_take_few_files_and_each_can_still_write() {
    let place = SessionFolder::new();
    let mut open = Vec::new();
    for number in 0..300 {
        let about = SessionMetadata::new("test").session(format!("s{number}"));
        open.push(place.sessions.create(about).await.unwrap());
    }
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    let paths = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    let ours = paths
        .filter(|path| path.starts_with(place.folder.path()))
        .count();
    assert!(ours <= 66, "{ours} files are open");
    for round in 1..=3 {
        for session in &mut open {
            session
                .append(state(round), Durability::Buffered)
                .await
                .unwrap();
        }
    }
    assert!(open.iter().all(|session| session.state().seq == 4));
    let error = place.reopen().load(open[0].id()).await.unwrap_err();
    assert!(matches!(error, SessionError::InUse { .. }), "{error}");
}

#[tokio::test]
async fn what_somebody_wrote_past_the_lock_is_noticed_and_nothing_is_written_over_it() {
    let place = SessionFolder::new();
    let mut session = place
        .sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    let file = place.store.file(session.id()).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend_from_slice(b"mine\n");
    std::fs::write(&file, &bytes).unwrap();
    let error = session
        .append(state(1), Durability::Synced)
        .await
        .unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        source.contains("was modified by another process after entry 1"),
        "{source}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    assert_eq!(session.state().seq, 1);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_look() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = SessionFolder::new();
    let folder = place.folder.path().join("state/sessions");
    let store = FolderStore::new(&folder);
    let sessions = Sessions::new(store.clone());
    let mut session = sessions
        .create(SessionMetadata::new("test").session("s"))
        .await
        .unwrap();
    session
        .append_all(script::opening(), Durability::Buffered)
        .await
        .unwrap();
    crate::sessions::posting::answer(&sessions, session.id())
        .await
        .unwrap();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(".writers")), 0o700);
    assert_eq!(mode(&folder.join("s.inbox")), 0o700);
    assert_eq!(mode(&folder.join("s.jsonl")), 0o600);
    assert_eq!(mode(&folder.join("s.inbox/t1%2f1.0.json")), 0o600);
}
