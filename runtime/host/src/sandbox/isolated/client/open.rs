//! Starts a supervisor, or connects to an existing one.

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
    OpenRequest, ReplyPayload, Request, RequestKind, SandboxDescription, VERSION, WireReply,
    receive, send,
};
use super::super::{Support, owner_access};
use super::leftovers;
use super::paths::{self, unavailable};
use crate::sandbox::{SandboxError, SandboxId, SandboxPolicy};
use crate::support::reexec;
use helve_core::support::lock::Mutex;

/// The isolation primitives that this machine supports, detected once by the first helper.
static SUPPORT: OnceLock<Support> = OnceLock::new();

/// The time limit for a helper to answer; a sandbox is usually built within milliseconds.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for a closed helper to end.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A sandbox with a connection to its supervisor.
pub(super) struct OpenedSandbox {
    pub(super) description: SandboxDescription,
    pub(super) socket: UnixStream,
    pub(super) supervisor: SupervisorProcess,
    /// The listener that the network proxy serves.
    pub(super) listener: Option<OwnedFd>,
}

/// Runs `work` on a thread that may block.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, SandboxError> {
    let job = tokio::task::spawn_blocking(work);
    job.await.unwrap_or_else(|error| {
        Err(SandboxError::Closed {
            why: format!("the program is shutting down: {error}"),
        })
    })
}

/// Starts a supervisor and waits until its sandbox is built.
pub(super) fn open(mut policy: SandboxPolicy) -> Result<OpenedSandbox, SandboxError> {
    if !reexec::is_ready() {
        return Err(unavailable(
            "this program did not call `helve::become_helper()`; call it first in `main`",
        ));
    }
    let id = paths::new_id()?;
    let home = paths::home();
    paths::resolve_policy(&mut policy, &home)?;
    let linked = super::super::linked_repositories(&policy);
    policy.writable.extend(linked);
    leftovers::sweep(&paths::base_folder());
    leftovers::sweep_layers(&paths::all_staging(&home), &paths::base_folder());
    let opening = OpenRequest {
        folder: paths::folder(&id)?,
        spool: paths::spool(&id, &policy),
        environment: super::super::environment(&policy, &home),
        quarantine: paths::quarantine(&home, &id),
        staging: paths::staging(&home, &id),
        support: SUPPORT.get().cloned(),
        home,
        policy,
        id,
    };
    let (socket, theirs) = UnixStream::pair().map_err(io_error("a socket cannot be made"))?;
    let child = spawn(theirs).map_err(io_error("failed to start the supervisor"))?;
    let folders = [&opening.folder, &opening.spool, &opening.staging];
    let helper = SupervisorProcess::new(child, folders.map(Clone::clone).into());
    socket
        .set_read_timeout(Some(HANDSHAKE_TIMEOUT))
        .and_then(|()| send(&socket, &opening))
        .map_err(io_error("failed to write to the supervisor"))?;
    let opened = describe(socket, helper)?;
    // The value of a later helper is the same.
    let _ = SUPPORT.set(opened.description.support.clone());
    Ok(opened)
}

/// Connects to a supervisor that another process started.
pub(super) fn attach(id: &SandboxId) -> Result<OpenedSandbox, SandboxError> {
    let gone = |error: io::Error| SandboxError::Closed {
        why: format!("sandbox `{id}` no longer exists ({error})"),
    };
    let socket = UnixStream::connect(paths::folder(id)?.join("control")).map_err(gone)?;
    let ask = Request {
        number: 0,
        ask: RequestKind::Describe,
    };
    socket
        .set_read_timeout(Some(HANDSHAKE_TIMEOUT))
        .and_then(|()| send(&socket, &ask))
        .map_err(gone)?;
    describe(socket, SupervisorProcess::default())
}

fn describe(socket: UnixStream, helper: SupervisorProcess) -> Result<OpenedSandbox, SandboxError> {
    let (reply, mut files) = receive::<WireReply>(&socket)
        .map_err(io_error("failed to read from the supervisor"))?
        .ok_or_else(|| unavailable("the supervisor exited before it answered"))?;
    let ReplyPayload::Sandbox(description) = reply.result? else {
        return Err(super::connection::unexpected_reply());
    };
    if description.version != VERSION {
        return Err(unavailable(
            "the sandbox was opened by another version of this program",
        ));
    }
    socket
        .set_read_timeout(None)
        .map_err(io_error("a socket cannot be used"))?;
    Ok(OpenedSandbox {
        listener: files.pop(),
        description: *description,
        socket,
        supervisor: helper,
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

/// Returns the environment variables that locate the user's Git settings.
fn settings_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    let set = |name| Some((name, std::env::var_os(name)?));
    SETTINGS_ENVIRONMENT.into_iter().filter_map(set)
}

/// A supervisor that this process started and must reap.
#[derive(Clone, Default)]
pub(super) struct SupervisorProcess(Option<Arc<SupervisorChild>>);

struct SupervisorChild {
    child: Mutex<Option<Child>>,
    /// The folders that the supervisor removes when it ends; the process that reaps the supervisor removes those that
    /// are left.
    folders: Vec<PathBuf>,
}

impl SupervisorProcess {
    fn new(child: Child, folders: Vec<PathBuf>) -> Self {
        Self(Some(Arc::new(SupervisorChild {
            child: Mutex::new(Some(child)),
            folders,
        })))
    }

    /// Reaps the supervisor without waiting. The supervisor has reported that the sandbox is closed; the kernel takes
    /// milliseconds to release its file watches.
    pub(super) fn reap_in_background(&self) {
        if let Some(started) = &self.0 {
            started.reap_in_background();
        }
    }

    /// Waits until the supervisor has ended.
    pub(super) fn wait(&self) -> Result<(), SandboxError> {
        let Some(started) = &self.0 else {
            return Ok(());
        };
        let child = started.child.lock().take();
        child.map_or(Ok(()), |child| reap(child, &started.folders))
    }
}

impl Drop for SupervisorChild {
    fn drop(&mut self) {
        // The connection is closed at this point, so the supervisor ends; a drop must not wait for it.
        self.reap_in_background();
    }
}

impl SupervisorChild {
    /// Reaps an ending supervisor in the background.
    fn reap_in_background(&self) {
        let child = self.child.lock().take();
        let folders = self.folders.clone();
        if let Some(child) = child {
            let thread = std::thread::Builder::new().name("helve-sandbox".to_owned());
            drop(thread.spawn(move || reap(child, &folders)));
        }
    }
}

/// Waits for a supervisor that was asked to end, kills it after the time limit, and removes its folders.
fn reap(mut child: Child, folders: &[PathBuf]) -> Result<(), SandboxError> {
    if !wait_for_exit(&mut child, END_TIMEOUT) {
        // Processes inside the sandbox die with the supervisor.
        let _ = child.kill().and_then(|()| child.wait());
    }
    let removed = folders
        .iter()
        .try_for_each(|folder| match owner_access::remove_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        });
    removed.map_err(io_error("a folder of the sandbox cannot be removed"))
}

/// Waits for the end of a child; reports whether the child ended in time.
fn wait_for_exit(child: &mut Child, within: Duration) -> bool {
    /// The polling interval, used if the kernel, or a filter, provides no descriptor that reports the end of the child.
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
                let timeout = Timespec::try_from(left).ok();
                let _ = poll(&mut [PollFd::new(told, PollFlags::IN)], timeout.as_ref());
            }
        }
    }
}

fn io_error(doing: &'static str) -> impl Fn(io::Error) -> SandboxError {
    move |source| SandboxError::Io {
        doing: doing.to_owned(),
        source,
    }
}
