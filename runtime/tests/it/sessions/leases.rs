//! Leases between processes: killed, stopped, continued.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use helve_runtime::agent::session::{Entry, FolderStore, LoadedSession, SessionError, Sessions};
use helve_runtime::transcript::SessionId;
use helve_runtime::transcript::journal::Durability;

use crate::sessions::{SessionFolder, script};

/// The lease of the stores of these tests.
const LEASE: Duration = Duration::from_millis(400);

fn state(value: &str) -> Entry {
    Entry::State {
        name: "holder".into(),
        value: value.into(),
    }
}

/// Not a test of its own: the process that the others stop and kill. It opens the session, and then appends an entry for
/// each line of its input.
#[tokio::test]
async fn lease_holder() {
    let Some(folder) = std::env::var_os("HELVE_TEST_LEASE") else {
        return;
    };
    let sessions = Sessions::new(FolderStore::with_lease_time(folder, LEASE));
    let mut session = sessions.load(&"s".into()).await.unwrap().session;
    println!("\nsaid: epoch {}", session.lease().epoch());
    for line in std::io::stdin().lines() {
        let appended = session
            .append(state(&line.unwrap()), Durability::Synced)
            .await;
        let is_lost = session.lease().is_lost();
        match appended {
            Ok(()) => println!("\nsaid: recorded, lost: {is_lost}"),
            Err(SessionError::LeaseLost { epoch, .. }) => {
                println!("\nsaid: refused in epoch {epoch}, lost: {is_lost}");
            }
            Err(error) => println!("\nsaid: {error}"),
        }
    }
}

struct Holder {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Holder {
    fn start(place: &SessionFolder) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sessions::leases::lease_holder", "--nocapture"])
            .env("HELVE_TEST_LEASE", place.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    /// Returns the next line that the process says.
    fn said(&mut self) -> String {
        let lines = self.output.by_ref().map(Result::unwrap);
        let mut said = lines.filter_map(|line| Some(line.strip_prefix("said: ")?.to_owned()));
        said.next().unwrap()
    }

    fn append(&mut self, value: &str) -> String {
        writeln!(self.input, "{value}").unwrap();
        self.said()
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal)
            .unwrap();
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Opens a session as soon as it can be taken over.
async fn take_over(sessions: &Sessions, id: &SessionId) -> LoadedSession {
    loop {
        match sessions.load(id).await {
            Ok(loaded) => return loaded,
            Err(SessionError::InUse { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_killed_holder_is_followed_in_the_next_epoch() {
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let mut holder = Holder::start(&place);
    assert_eq!(holder.said(), "epoch 2");
    assert_eq!(holder.append("first"), "recorded, lost: false");
    let error = place.reopen().load(&id).await.unwrap_err();
    assert!(matches!(error, SessionError::InUse { .. }), "{error}");
    holder.kill();
    let loaded = place.reopen().load(&id).await.unwrap();
    assert_eq!(loaded.session.lease().epoch(), 3);
    let value = loaded.history.state::<String>("holder").unwrap();
    assert_eq!(value.as_deref(), Some("first"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_stopped_holder_loses_its_lease_and_its_late_write_is_refused() {
    use rustix::process::Signal;
    let place = SessionFolder::new();
    let id = place.write_session("s", script::opening()).await;
    let mut holder = Holder::start(&place);
    assert_eq!(holder.said(), "epoch 2");
    assert_eq!(holder.append("first"), "recorded, lost: false");
    holder.signal(Signal::STOP);
    let sessions = place.reopen();
    let LoadedSession {
        mut session,
        history,
        ..
    } = take_over(&sessions, &id).await;
    assert_eq!(session.lease().epoch(), 3);
    let value = history.state::<String>("holder").unwrap();
    assert_eq!(value.as_deref(), Some("first"));
    session
        .append(state("second"), Durability::Synced)
        .await
        .unwrap();
    holder.signal(Signal::CONT);
    assert_eq!(holder.append("late"), "refused in epoch 2, lost: true");
    assert_eq!(holder.append("later"), "refused in epoch 2, lost: true");
    // The old holder ends without releasing what the new one holds.
    holder.kill();
    let error = place.reopen().load(&id).await.unwrap_err();
    assert!(matches!(error, SessionError::InUse { .. }), "{error}");
    session
        .append(state("third"), Durability::Synced)
        .await
        .unwrap();
    drop(session);
    let history = place.reopen().load(&id).await.unwrap().history;
    assert_eq!(
        history.state::<String>("holder").unwrap().as_deref(),
        Some("third")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_stopped_holder_that_nobody_follows_continues() {
    use rustix::process::Signal;
    let place = SessionFolder::new();
    place.write_session("s", script::opening()).await;
    let mut holder = Holder::start(&place);
    assert_eq!(holder.said(), "epoch 2");
    holder.signal(Signal::STOP);
    // Its lease has expired once another session of the process can be taken over: none is.
    let lock = std::fs::read_dir(place.folder.path().join(".writers")).unwrap();
    let own = format!("{}-", holder.child.id());
    let mut locks = lock.map(|file| file.unwrap().path());
    let lock = locks.find(|path| {
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(&own)
    });
    let lock = std::fs::File::open(lock.unwrap()).unwrap();
    while lock
        .metadata()
        .unwrap()
        .modified()
        .unwrap()
        .elapsed()
        .unwrap()
        < LEASE
    {
        std::thread::yield_now();
    }
    holder.signal(Signal::CONT);
    assert_eq!(holder.append("first"), "recorded, lost: false");
    holder.kill();
}
