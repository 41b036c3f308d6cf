//! Starts workers, and holds the spare worker for the next job.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::support::reexec;
use helve_core::support::lock::Mutex;

/// The time that a spare worker waits for a job.
const IDLE: Duration = Duration::from_secs(60);

type SpawnReply = oneshot::Sender<io::Result<WorkerProcess>>;

/// The thread that starts workers. The kernel kills a worker when the thread that started it ends, so this thread lives
/// as long as the program.
static STARTER: Mutex<Option<Sender<SpawnReply>>> = Mutex::new(None);

/// A worker with at most one job. Dropping it kills and reaps the process.
pub(super) struct WorkerProcess {
    child: Child,
    pub(super) socket: UnixStream,
}

/// Returns the spare worker, or starts a worker. A new spare worker is started afterwards.
///
/// # Errors
/// Fails if the program cannot be started again.
pub(super) async fn take() -> io::Result<WorkerProcess> {
    let (reply, worker) = oneshot::channel();
    ask(reply)?;
    worker.await.map_err(io::Error::other)?
}

fn ask(reply: SpawnReply) -> io::Result<()> {
    let mut starter = STARTER.lock();
    let sender = match starter.take() {
        Some(sender) => sender,
        None => {
            let (sender, requests) = mpsc::channel();
            thread::Builder::new()
                .name("helve-worker".to_owned())
                .spawn(move || serve(&requests, IDLE, start))?;
            sender
        }
    };
    sender.send(reply).map_err(|_| io::ErrorKind::BrokenPipe)?;
    *starter = Some(sender);
    Ok(())
}

/// Handles the requests, and holds a spare worker for the next request, which ends after `idle`.
fn serve(
    requests: &Receiver<SpawnReply>,
    idle: Duration,
    start: impl Fn() -> io::Result<WorkerProcess>,
) {
    let mut spare: Option<WorkerProcess> = None;
    loop {
        let request = match &spare {
            None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => requests.recv_timeout(idle),
        };
        let reply = match request {
            Ok(reply) => reply,
            Err(RecvTimeoutError::Timeout) => {
                spare = None;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let waiting = spare.take().and_then(WorkerProcess::into_alive);
        let worker = waiting.map_or_else(&start, Ok);
        match reply.send(worker) {
            // The caller does not wait for this worker any more.
            Err(unused) => spare = unused.ok(),
            Ok(()) => spare = start().ok(),
        }
    }
}

fn start() -> io::Result<WorkerProcess> {
    let (socket, theirs) = UnixStream::pair()?;
    let role = format!("{}{}", reexec::WORKER, std::process::id());
    let child = Command::new("/proc/self/exe")
        .arg0("helve-worker")
        .env_clear()
        .envs(reexec::environment())
        // A separate arena for each thread would reserve more address space than a job may use.
        .env("MALLOC_ARENA_MAX", "1")
        .env(reexec::ROLE, role)
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(WorkerProcess { child, socket })
}

impl WorkerProcess {
    /// Returns the worker if it has not ended. A worker may have been killed from outside.
    fn into_alive(mut self) -> Option<Self> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// Kills the worker and returns its exit status. A worker that has already ended keeps its own status.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        let _ = self.child.kill();
        self.child.wait()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use tokio::sync::oneshot;

    use super::{WorkerProcess, serve};

    fn ask(requests: &mpsc::Sender<super::SpawnReply>) -> WorkerProcess {
        let (reply, worker) = oneshot::channel();
        requests.send(reply).unwrap();
        worker.blocking_recv().unwrap().unwrap()
    }

    /// An idle spare worker is killed after the timeout, and the next job gets a new worker.
    #[test]
    fn a_spare_that_waits_too_long_is_ended() {
        let (started, starts) = mpsc::channel();
        let start = move || {
            let (socket, theirs) = UnixStream::pair()?;
            // Like a worker, this process ends when the socket is closed.
            let child = Command::new("cat")
                .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
                .stdout(Stdio::null())
                .spawn()?;
            let _ = started.send(child.id());
            Ok(WorkerProcess { child, socket })
        };
        let (requests, asked) = mpsc::channel();
        let idle = Duration::from_millis(300);
        let served = thread::spawn(move || serve(&asked, idle, start));
        let first = ask(&requests);
        assert_eq!(first.child.id(), starts.recv().unwrap());
        let spare = starts.recv().unwrap();
        let begun = Instant::now();
        let is_there = || std::fs::exists(format!("/proc/{spare}")).unwrap();
        while is_there() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it still waits");
            thread::yield_now();
        }
        let second = ask(&requests);
        assert_eq!(second.child.id(), starts.recv().unwrap());
        drop(requests);
        served.join().unwrap();
    }
}
