//! The init process: it builds the root and forks the shims of commands.

pub(super) mod external;

use std::collections::HashSet;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, wait};
use rustix::pty::OpenptFlags;

use super::identity::Identity;
use super::os::{self, ForkResult};
use super::root::{self, AppliedProtection, Root, RootSpec};
use super::wire::{self, InitReply, InitRequest, WireError};
use super::{Cgroup, Confinement, Protection, Support, shim};
use crate::sandbox::{Layer, SandboxPolicy, TerminalSize};
use crate::support::{descriptors, oom_score};

/// The configuration that an init process inherits from the process that cloned it.
pub(super) struct InitTask {
    pub(super) identity: Identity,
    pub(super) blueprint: RootSpec,
    pub(super) policy: SandboxPolicy,
    pub(super) support: Support,
    pub(super) plan: Protection,
    /// The files by which a process enters the control group, if there is one.
    pub(super) cgroup: Vec<OwnedFd>,
}

/// Builds the sandbox and serves the supervisor until the connection closes. This process has been cloned into new
/// namespaces.
pub(super) fn run(mut task: InitTask, supervisor: &OwnedFd) -> ! {
    let counted = Cgroup::enter(&std::mem::take(&mut task.cgroup));
    // Under memory pressure the kernel should kill this process before the app and the user's programs, if it may raise
    // its score.
    let _ = oom_score::raise(oom_score::SANDBOXED);
    // The descriptors of the supervisor must not be inherited.
    if close_inherited(&task, supervisor).is_err() {
        std::process::exit(1);
    }
    // The supervisor sends this message after it has mapped the IDs of this process.
    if !matches!(wire::receive::<()>(supervisor), Ok(Some(_))) {
        std::process::exit(1);
    }
    let prepared = counted
        .map_err(cgroup_error)
        .and_then(|()| Init::prepare(task));
    serve(supervisor, prepared)
}

/// Reports whether an init is ready, and serves the supervisor then.
fn serve(supervisor: &OwnedFd, prepared: Result<(Init, Option<TcpListener>), WireError>) -> ! {
    let sent = match &prepared {
        Ok((_, listener)) => {
            let address = listener.as_ref().and_then(|door| door.local_addr().ok());
            let port = address.map(|address| address.port());
            wire::send_with(supervisor, &InitReply::Ready { port }, listener.as_slice())
        }
        Err(failure) => wire::send(supervisor, &InitReply::Failed(failure.clone())),
    };
    match prepared {
        Ok((init, listener)) if sent.is_ok() => {
            drop(listener);
            init.serve(supervisor)
        }
        _ => std::process::exit(1),
    }
}

pub(super) fn cgroup_error(error: std::io::Error) -> WireError {
    let doing = "failed to limit the number of processes";
    let mend = "run this program as a user other than root";
    WireError::layer(Layer::Limits, doing, error, mend)
}

/// Closes all inherited descriptors of the supervisor, except for the mounts that were opened already.
fn close_inherited(task: &InitTask, supervisor: &OwnedFd) -> std::io::Result<()> {
    rustix::stdio::dup2_stdin(dev_null()?)?;
    let mut kept = vec![supervisor.as_fd()];
    kept.extend(task.blueprint.trees().map(AsFd::as_fd));
    descriptors::close_others(&kept)
}

struct Init {
    deaths: OwnedFd,
    /// The shims of commands.
    shims: HashSet<Pid>,
    /// `None` without namespaces.
    rooted: Option<PreparedRoot>,
    confinement: Confinement,
    /// The commands, while they are stopped.
    frozen: Option<shim::FrozenProcesses>,
}

/// The root, and its protected paths.
struct PreparedRoot {
    root: Root,
    protected: AppliedProtection,
    /// The folders that commands may write to whatever their access.
    private: Vec<PathBuf>,
}

/// The next action of an init.
enum InitAction {
    Shim(OwnedFd),
    Nothing,
    End,
}

impl Init {
    fn prepare(task: InitTask) -> Result<(Self, Option<TcpListener>), WireError> {
        task.identity.assume().map_err(|error| {
            let doing = "failed to switch to the user of the sandbox";
            let mend = "allow user namespaces on this machine";
            WireError::layer(Layer::Privileges, doing, error, mend)
        })?;
        let policy = &task.policy;
        let private = super::private_folders(&task.blueprint.home);
        let root = root::build(task.blueprint)?;
        let mut protected = AppliedProtection::default();
        protected.apply(&root.inside, &task.plan)?;
        if policy.staged {
            root.probe_overlay(&policy.workspace)?;
        }
        os::raise_loopback().map_err(no_network)?;
        let listener = listen(policy)?;
        rustix::system::sethostname(b"sandbox").map_err(failed("a host name cannot be set"))?;
        rustix::thread::set_no_new_privs(true).map_err(failed("failed to set no_new_privs"))?;
        drop_bounding_set().map_err(failed("failed to drop the capability bounding set"))?;
        let confinement = Confinement::prepare(policy, &task.support, &private)?;
        let rooted = PreparedRoot {
            root,
            protected,
            private,
        };
        let init = Self::settle(Some(rooted), confinement)?;
        Ok((init, listener))
    }

    /// Completes the setup of this process. This is the last step, since a change of IDs resets both settings: no
    /// process inside can inspect this process, and the kernel kills this process when the supervisor ends.
    fn settle(rooted: Option<PreparedRoot>, confinement: Confinement) -> Result<Self, WireError> {
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(failed("failed to make the init process non-dumpable"))?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(failed("failed to set the parent death signal"))?;
        Ok(Self {
            deaths: os::sigchld_fd().map_err(|error| {
                WireError::io("the ends of processes cannot be followed", error)
            })?,
            shims: HashSet::new(),
            rooted,
            confinement,
            frozen: None,
        })
    }

    fn serve(mut self, supervisor: &OwnedFd) -> ! {
        loop {
            match self.next(supervisor) {
                InitAction::Nothing => {}
                InitAction::End => std::process::exit(0),
                InitAction::Shim(channel) => match os::fork() {
                    Ok(ForkResult::Child) => {
                        if os::unblock_signals().is_err() {
                            std::process::exit(1);
                        }
                        let private = self.rooted.map(|rooted| rooted.private);
                        shim::run(channel, &self.confinement, private.as_deref())
                    }
                    Ok(ForkResult::Parent(pid)) => {
                        self.shims.insert(pid);
                    }
                    // The closed channel shows the supervisor that there is no shim.
                    Err(_) => {}
                },
            }
        }
    }

    fn next(&mut self, supervisor: &OwnedFd) -> InitAction {
        let mut ready = [
            PollFd::new(supervisor, PollFlags::IN),
            PollFd::new(&self.deaths, PollFlags::IN),
        ];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return InitAction::End,
        }
        let [requested, died] = ready.map(|one| !one.revents().is_empty());
        if died {
            let _ = rustix::io::read(&self.deaths, &mut [0; 1024][..]);
            while self.see_off() {
                // The children of the shim were reparented to this process, and no other process would kill them.
                shim::kill_orphans(&self.shims, &self.deaths);
            }
        }
        if !requested {
            return InitAction::Nothing;
        }
        let Ok(Some((request, mut files))) = wire::receive::<InitRequest>(supervisor) else {
            return InitAction::End;
        };
        let answer = match (request, files.pop()) {
            (InitRequest::Shim, Some(channel)) => return InitAction::Shim(channel),
            (request, file) => self.answer(request, file),
        };
        let (answer, files) =
            answer.unwrap_or_else(|failure| (InitReply::Failed(failure), Vec::new()));
        match wire::send_with(supervisor, &answer, &files) {
            Ok(()) => InitAction::Nothing,
            Err(_) => InitAction::End,
        }
    }

    /// Reaps all children that died; returns whether a shim died before its work was done.
    fn see_off(&mut self) -> bool {
        let mut killed = false;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            killed |= self.shims.remove(&pid) && status.exit_status() != Some(0);
        }
        killed
    }

    /// Handles a request, except for a new shim.
    fn answer(
        &mut self,
        request: InitRequest,
        file: Option<OwnedFd>,
    ) -> Result<(InitReply, Vec<OwnedFd>), WireError> {
        match (request, file) {
            (InitRequest::Project { name }, Some(tree)) => {
                let rooted = self.rooted.as_ref().ok_or_else(|| {
                    std::io::Error::other("nothing can be mounted without namespaces")
                });
                let path = rooted.and_then(|rooted| rooted.root.project(tree, &name));
                let path =
                    path.map_err(|error| WireError::io("a folder cannot be shown", error))?;
                return Ok((InitReply::Path(path), Vec::new()));
            }
            (InitRequest::Terminal { size }, _) => {
                let ends = terminal(size)
                    .map_err(|error| WireError::io("a terminal cannot be made", error))?;
                return Ok((InitReply::Done, ends.into()));
            }
            (InitRequest::Pin(plan), _) => {
                // Protects paths that were created since.
                if let Some(rooted) = &mut self.rooted {
                    rooted.protected.apply(&rooted.root.inside, &plan)?;
                }
            }
            (InitRequest::Freeze, _) => {
                self.frozen
                    .get_or_insert_with(|| shim::FrozenProcesses::new(&self.shims));
            }
            (InitRequest::Thaw, _) => {
                if let Some(frozen) = self.frozen.take() {
                    frozen.thaw();
                }
            }
            (InitRequest::Shim | InitRequest::Project { .. }, _) => {
                let why = "a request arrived without its file descriptor";
                return Err(WireError::Closed(why.to_owned()));
            }
        }
        Ok((InitReply::Done, Vec::new()))
    }
}

/// Returns the error of a step that needs namespaces, for `map_err`.
fn failed<E: Into<std::io::Error>>(doing: &str) -> impl Fn(E) -> WireError {
    move |error| WireError::layer(Layer::Processes, doing, error, "allow namespaces")
}

/// Creates a listener for the proxy if the policy needs one.
fn listen(policy: &SandboxPolicy) -> Result<Option<TcpListener>, WireError> {
    if !policy.needs_proxy() {
        return Ok(None);
    }
    TcpListener::bind(("127.0.0.1", 0))
        .map(Some)
        .map_err(no_network)
}

fn no_network(error: std::io::Error) -> WireError {
    let doing = "the network inside cannot be set up";
    let mend = "allow network namespaces on this machine";
    WireError::layer(Layer::Network, doing, error, mend)
}

/// Creates a terminal: the end of the supervisor, and the end of the command.
fn terminal(size: TerminalSize) -> std::io::Result<[OwnedFd; 2]> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    // If this is not a mount of the sandbox itself, the node below `/dev/pts` is not accessible to most users.
    let held = rustix::fs::openat(CWD, c"/dev/pts/ptmx", flags, Mode::empty())
        .or_else(|_| rustix::fs::openat(CWD, c"/dev/ptmx", flags, Mode::empty()))?;
    rustix::pty::unlockpt(&held)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let peer = rustix::pty::ioctl_tiocgptpeer(&held, flags)?;
    set_terminal_size(&held, size)?;
    Ok([held, peer])
}

pub(super) fn set_terminal_size(terminal: &OwnedFd, size: TerminalSize) -> rustix::io::Result<()> {
    let size = rustix::termios::Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(terminal, size)
}

fn dev_null() -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, c"/dev/null", flags, Mode::empty())
}

/// Removes all capabilities from the bounding set, so that no descendant can regain a capability. This process keeps
/// its own.
fn drop_bounding_set() -> rustix::io::Result<()> {
    for bit in 0..u64::BITS {
        let one = rustix::thread::CapabilitySet::from_bits_retain(1 << bit);
        match rustix::thread::capability_is_in_bounding_set(one) {
            Ok(true) => rustix::thread::remove_capability_from_bounding_set(one)?,
            Ok(false) => {}
            // The kernel supports no capability with this number or above.
            Err(_) => break,
        }
    }
    Ok(())
}
