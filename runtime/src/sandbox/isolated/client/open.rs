//! Starting a supervisor, or finding one.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::super::protection::SETTINGS_ENVIRONMENT;
use super::super::wire::{
    Answer, Ask, Description, Opening, Reply, Request, VERSION, receive, send,
};
use super::super::{Support, access};
use super::{leftover, place};
use crate::sandbox::{SandboxError, SandboxId, SandboxPolicy};
use crate::support::lock::Mutex;
use crate::support::reexec;

/// What this machine gives: found out once, by the first helper.
static SUPPORT: OnceLock<Support> = OnceLock::new();

/// How long a helper may take until it answers; a whole sandbox stands in milliseconds.
const HANDSHAKE: Duration = Duration::from_secs(20);
/// How long a helper that was closed may take to end.
const ENDING: Duration = Duration::from_secs(10);

/// A sandbox with a connection to its supervisor.
pub(super) struct Opened {
    pub(super) description: Description,
    pub(super) socket: UnixStream,
    pub(super) helper: Helper,
    /// What the proxy of the network serves.
    pub(super) listener: Option<OwnedFd>,
}

/// Runs what blocks where it may.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, SandboxError> {
    let job = tokio::task::spawn_blocking(work);
    job.await.unwrap_or_else(|error| {
        Err(SandboxError::Closed {
            why: format!("the program is ending: {error}"),
        })
    })
}

/// Starts a supervisor and waits until its sandbox stands.
pub(super) fn open(mut policy: SandboxPolicy) -> Result<Opened, SandboxError> {
    if !reexec::is_ready() {
        return Err(unprepared(
            "this program did not call `helve::become_helper()`; call it first in `main`",
        ));
    }
    let id = place::new_id()?;
    let home = place::home();
    place::resolve(&mut policy, &home)?;
    let linked = super::super::linked_repositories(&policy);
    policy.writable.extend(linked);
    leftover::sweep(&place::base());
    leftover::sweep_layers(&place::all_staging(&home), &place::base());
    let opening = Opening {
        folder: place::folder(&id)?,
        spool: place::spool(&id, &policy),
        environment: super::super::environment(&policy, &home),
        quarantine: place::quarantine(&home, &id),
        staging: place::staging(&home, &id),
        support: SUPPORT.get().cloned(),
        home,
        policy,
        id,
    };
    let (socket, theirs) = UnixStream::pair().map_err(failed("a socket cannot be made"))?;
    let child = spawn(theirs).map_err(failed("the helper of a sandbox cannot be started"))?;
    let folders = [&opening.folder, &opening.spool, &opening.staging];
    let helper = Helper::new(child, folders.map(Clone::clone).into());
    socket
        .set_read_timeout(Some(HANDSHAKE))
        .and_then(|()| send(&socket, &opening, &[]))
        .map_err(failed("the helper of a sandbox does not listen"))?;
    let opened = describe(socket, helper)?;
    // A second value is the same.
    let _ = SUPPORT.set(opened.description.support.clone());
    Ok(opened)
}

/// Connects to a supervisor that another process started.
pub(super) fn attach(id: &SandboxId) -> Result<Opened, SandboxError> {
    let gone = |error: io::Error| SandboxError::Closed {
        why: format!("there is no sandbox `{id}` any more ({error})"),
    };
    let socket = UnixStream::connect(place::folder(id)?.join("control")).map_err(gone)?;
    let ask = Request {
        number: 0,
        ask: Ask::Describe,
    };
    socket
        .set_read_timeout(Some(HANDSHAKE))
        .and_then(|()| send(&socket, &ask, &[]))
        .map_err(gone)?;
    describe(socket, Helper::default())
}

fn describe(socket: UnixStream, helper: Helper) -> Result<Opened, SandboxError> {
    let heard = receive::<Reply>(&socket)
        .map_err(failed("the helper of a sandbox does not answer"))?
        .ok_or_else(|| unprepared("its helper ended before it answered"))?;
    let (reply, mut files) = heard;
    let Answer::Sandbox(description) = reply.result? else {
        return Err(super::link::misunderstood());
    };
    if description.version != VERSION {
        return Err(unprepared(
            "the sandbox was opened by another version of this program",
        ));
    }
    socket
        .set_read_timeout(None)
        .map_err(failed("a socket cannot be used"))?;
    Ok(Opened {
        listener: files.pop(),
        description: *description,
        socket,
        helper,
    })
}

fn spawn(socket: UnixStream) -> io::Result<Child> {
    Command::new("/proc/self/exe")
        .arg0("helve-sandbox")
        .env_clear()
        .envs(reexec::environment())
        .envs(settings_environment())
        .env(reexec::ROLE, reexec::SUPERVISOR)
        .current_dir("/")
        .stdin(OwnedFd::from(socket))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Returns what says where the settings of the user's git are.
fn settings_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    let set = |name| Some((name, std::env::var_os(name)?));
    SETTINGS_ENVIRONMENT.into_iter().filter_map(set)
}

/// A supervisor that this process started, and has to see off.
#[derive(Clone, Default)]
pub(super) struct Helper(Option<Arc<Started>>);

struct Started {
    child: Mutex<Option<Child>>,
    /// What it removes at its end; whoever sees it off removes what it could not.
    folders: Vec<PathBuf>,
}

impl Helper {
    fn new(child: Child, folders: Vec<PathBuf>) -> Self {
        Self(Some(Arc::new(Started {
            child: Mutex::new(Some(child)),
            folders,
        })))
    }

    /// Does not wait for a supervisor that has said that all is closed: the kernel takes milliseconds to let go of its watch.
    pub(super) fn leave(&self) {
        if let Some(started) = &self.0 {
            started.leave();
        }
    }

    /// Waits until the supervisor has ended.
    pub(super) fn gone(&self) -> Result<(), SandboxError> {
        let Some(started) = &self.0 else {
            return Ok(());
        };
        let child = started.child.lock().take();
        child.map_or(Ok(()), |child| see_off(child, &started.folders))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // The connection is gone by now, so the supervisor ends; a drop must not wait for that.
        self.leave();
    }
}

impl Started {
    /// Has a supervisor that is ending seen off by somebody else.
    fn leave(&self) {
        let child = self.child.lock().take();
        let folders = self.folders.clone();
        if let Some(child) = child {
            let seen_off = std::thread::Builder::new()
                .name("helve-sandbox".to_owned())
                .spawn(move || see_off(child, &folders));
            drop(seen_off);
        }
    }
}

/// Waits for a supervisor that was told to end, kills it where it does not, and clears up behind it.
fn see_off(mut child: Child, folders: &[PathBuf]) -> Result<(), SandboxError> {
    if !ends(&mut child, ENDING) {
        // What runs inside dies with it.
        let _ = child.kill().and_then(|()| child.wait());
    }
    for folder in folders {
        match access::remove_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("a folder of the sandbox cannot be removed")(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Waits for the end of a child; reports whether it came in time.
fn ends(child: &mut Child, within: Duration) -> bool {
    /// How often it is looked for where the kernel, or a filter, gives no descriptor that tells it.
    const PAUSE: Duration = Duration::from_millis(5);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let told = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let patience = Instant::now() + within;
    loop {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        let left = patience.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        match &told {
            None => std::thread::sleep(PAUSE),
            Some(told) => {
                let timeout = Timespec {
                    tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                    tv_nsec: i64::from(left.subsec_nanos()),
                };
                let _ = poll(&mut [PollFd::new(told, PollFlags::IN)], Some(&timeout));
            }
        }
    }
}

fn failed(doing: &'static str) -> impl Fn(io::Error) -> SandboxError {
    move |source| SandboxError::Io {
        doing: doing.to_owned(),
        source,
    }
}

fn unprepared(why: &str) -> SandboxError {
    SandboxError::Unavailable {
        kind: "local".to_owned(),
        why: why.to_owned(),
    }
}
