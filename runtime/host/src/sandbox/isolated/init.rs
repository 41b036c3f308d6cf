//! The init process: it builds the root and forks the shims of commands.

pub(super) mod external;

use std::collections::HashSet;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, wait};

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
    /// The ways into the control group, where there is one.
    pub(super) cgroup: Vec<OwnedFd>,
}

/// Builds the sandbox and serves the supervisor until it is gone. This process has been cloned into new namespaces.
pub(super) fn run(mut task: InitTask, supervisor: OwnedFd) -> ! {
    let counted = Cgroup::enter(&std::mem::take(&mut task.cgroup));
    // Before the app and its user's programs, where that is allowed.
    let _ = oom_score::raise(oom_score::SANDBOXED);
    // What the supervisor has open is none of its business.
    if close_inherited(&task, &supervisor).is_err() {
        std::process::exit(1);
    }
    // Its ids are there as soon as the supervisor says so.
    if !matches!(wire::receive::<()>(&supervisor), Ok(Some(_))) {
        std::process::exit(1);
    }
    let counted = counted.map_err(|error| {
        let mend = "run this program as a user other than root";
        WireError::layer(
            Layer::Limits,
            "failed to limit the number of processes",
            error,
            mend,
        )
    });
    match Init::build(counted.map(|()| task), supervisor) {
        Ok(init) => init.serve(),
        Err((supervisor, failure)) => {
            let _ = wire::send(supervisor, &InitReply::Failed(failure), &[]);
            std::process::exit(1)
        }
    }
}

/// Closes all that the supervisor has open, but the mounts that were taken already.
fn close_inherited(task: &InitTask, supervisor: &OwnedFd) -> std::io::Result<()> {
    rustix::stdio::dup2_stdin(dev_null()?)?;
    let mut kept = vec![supervisor.as_fd()];
    kept.extend(task.blueprint.trees().map(AsFd::as_fd));
    descriptors::close_others(&kept)
}

struct Init {
    supervisor: OwnedFd,
    deaths: OwnedFd,
    /// Those that stand above commands.
    shims: HashSet<Pid>,
    /// Without one where there are no namespaces.
    rooted: Option<PreparedRoot>,
    confinement: Confinement,
    /// The commands, while they are stopped.
    frozen: Option<shim::FrozenProcesses>,
}

/// The root, and what is protected in it.
struct PreparedRoot {
    root: Root,
    protected: AppliedProtection,
    /// The folders that commands write whatever their access.
    private: Vec<PathBuf>,
}

/// What an init has to do next.
enum InitAction {
    Shim(OwnedFd),
    Nothing,
    End,
}

impl Init {
    fn build(
        task: Result<InitTask, WireError>,
        supervisor: OwnedFd,
    ) -> Result<Self, (OwnedFd, WireError)> {
        match task.and_then(Self::prepare) {
            Ok((mut init, listener)) => {
                let port = listener
                    .as_ref()
                    .and_then(|listener| Some(listener.local_addr().ok()?.port()));
                let ready = InitReply::Ready { port };
                let files: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
                if let Err(error) = wire::send(&supervisor, &ready, &files) {
                    return Err((
                        supervisor,
                        WireError::io("failed to write to the supervisor", error),
                    ));
                }
                init.supervisor = supervisor;
                Ok(init)
            }
            Err(failure) => Err((supervisor, failure)),
        }
    }

    fn prepare(task: InitTask) -> Result<(Self, Option<TcpListener>), WireError> {
        let InitTask {
            identity,
            blueprint,
            policy,
            support,
            plan,
            cgroup: _,
        } = task;
        identity.assume().map_err(|error| {
            WireError::layer(
                Layer::Privileges,
                "failed to switch to the user of the sandbox",
                error,
                "allow user namespaces on this machine",
            )
        })?;
        let home = blueprint.home.clone();
        let root = root::build(blueprint)?;
        let mut protected = AppliedProtection::new();
        protected.apply(root.inside(), &plan)?;
        if policy.staged {
            root.probe_overlay(&policy.workspace)?;
        }
        let listener = network(&policy)?;
        let failed = |doing: &'static str| {
            move |error| WireError::layer(Layer::Processes, doing, error, "allow namespaces")
        };
        rustix::system::sethostname(b"sandbox").map_err(failed("a host name cannot be set"))?;
        rustix::thread::set_no_new_privs(true).map_err(failed("failed to set no_new_privs"))?;
        let private = [
            Path::new("/tmp"),
            Path::new("/var/tmp"),
            Path::new("/dev/shm"),
            &home,
        ];
        drop_bounding_set().map_err(failed("failed to drop the capability bounding set"))?;
        let confinement = Confinement::prepare(&policy, &support, &private)?;
        let rooted = PreparedRoot {
            root,
            protected,
            private: private.map(Path::to_owned).into(),
        };
        let init = Self::settle(Some(rooted), confinement)?;
        Ok((init, listener))
    }

    /// Last, since a change of ids undoes both: no process inside can look into this process, and it dies with the
    /// supervisor.
    fn settle(rooted: Option<PreparedRoot>, confinement: Confinement) -> Result<Self, WireError> {
        let failed = |doing: &'static str| {
            move |error| WireError::layer(Layer::Processes, doing, error, "allow namespaces")
        };
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(failed("failed to make the init process non-dumpable"))?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(failed("failed to set the parent death signal"))?;
        Ok(Self {
            supervisor: dev_null().map_err(failed("`/dev/null` cannot be opened"))?,
            deaths: os::sigchld_fd().map_err(|error| {
                WireError::io("the ends of processes cannot be followed", error)
            })?,
            shims: HashSet::new(),
            rooted,
            confinement,
            frozen: None,
        })
    }

    fn serve(mut self) -> ! {
        loop {
            match self.next() {
                InitAction::Nothing => {}
                InitAction::End => std::process::exit(0),
                InitAction::Shim(channel) => match os::fork() {
                    Ok(ForkResult::Child) => {
                        let Self {
                            confinement,
                            rooted,
                            ..
                        } = self;
                        let private = rooted.map(|rooted| rooted.private);
                        if os::unblock_signals().is_err() {
                            std::process::exit(1);
                        }
                        shim::run(channel, &confinement, private.as_deref())
                    }
                    Ok(ForkResult::Parent(pid)) => {
                        self.shims.insert(pid);
                    }
                    // The end of its channel shows the supervisor that there is no shim.
                    Err(_) => {}
                },
            }
        }
    }

    fn next(&mut self) -> InitAction {
        let mut ready = [
            PollFd::new(&self.supervisor, PollFlags::IN),
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
                // Its children were reparented to this process, and no other process would kill them.
                shim::kill_orphans(&self.shims, &self.deaths);
            }
        }
        if !requested {
            return InitAction::Nothing;
        }
        match wire::receive::<InitRequest>(&self.supervisor) {
            Ok(Some((request, files))) => self.handle(request, files),
            Ok(None) | Err(_) => InitAction::End,
        }
    }

    /// Reaps all that died; returns whether a shim did before its work was done.
    fn see_off(&mut self) -> bool {
        let mut killed = false;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            killed |= self.shims.remove(&pid) && status.exit_status() != Some(0);
        }
        killed
    }

    fn handle(&mut self, request: InitRequest, mut files: Vec<OwnedFd>) -> InitAction {
        let (answer, files) = match (request, files.pop()) {
            (InitRequest::Shim, Some(channel)) => return InitAction::Shim(channel),
            (InitRequest::Project { name }, Some(tree)) => match self.project(tree, &name) {
                Ok(path) => (InitReply::Path(path), Vec::new()),
                Err(error) => (
                    InitReply::Failed(WireError::io("a folder cannot be shown", error)),
                    Vec::new(),
                ),
            },
            (InitRequest::Terminal { size }, _) => match terminal(size) {
                Ok(ends) => (InitReply::Done, Vec::from(ends)),
                Err(error) => (
                    InitReply::Failed(WireError::io("a terminal cannot be made", error)),
                    Vec::new(),
                ),
            },
            (InitRequest::Pin(plan), _) => match self.protect(&plan) {
                Ok(()) => (InitReply::Done, Vec::new()),
                Err(failure) => (InitReply::Failed(failure), Vec::new()),
            },
            (InitRequest::Freeze, _) => {
                let shims = &self.shims;
                self.frozen
                    .get_or_insert_with(|| shim::FrozenProcesses::new(shims));
                (InitReply::Done, Vec::new())
            }
            (InitRequest::Thaw, _) => {
                if let Some(frozen) = self.frozen.take() {
                    frozen.thaw();
                }
                (InitReply::Done, Vec::new())
            }
            (InitRequest::Shim | InitRequest::Project { .. }, None) => (
                InitReply::Failed(WireError::Closed(
                    "a request arrived without its file descriptor".to_owned(),
                )),
                Vec::new(),
            ),
        };
        let passed: Vec<_> = files.iter().map(AsFd::as_fd).collect();
        match wire::send(&self.supervisor, &answer, &passed) {
            Ok(()) => InitAction::Nothing,
            Err(_) => InitAction::End,
        }
    }

    fn project(&self, tree: OwnedFd, name: &str) -> std::io::Result<PathBuf> {
        let Some(PreparedRoot { root, .. }) = &self.rooted else {
            return Err(std::io::Error::other(
                "nothing can be mounted without namespaces",
            ));
        };
        root.project(tree, name)
    }

    /// Protects what has come into being.
    fn protect(&mut self, plan: &Protection) -> Result<(), WireError> {
        let Some(PreparedRoot {
            root, protected, ..
        }) = &mut self.rooted
        else {
            return Ok(());
        };
        protected.apply(root.inside(), plan)
    }
}

/// Enables loopback, and makes a listener for the proxy if hosts may be reached.
fn network(policy: &SandboxPolicy) -> Result<Option<TcpListener>, WireError> {
    os::raise_loopback().map_err(no_network)?;
    listen(policy)
}

/// Makes a listener for the proxy if hosts may be reached.
fn listen(policy: &SandboxPolicy) -> Result<Option<TcpListener>, WireError> {
    if policy.network.allow.is_empty() {
        return Ok(None);
    }
    TcpListener::bind(("127.0.0.1", 0))
        .map(Some)
        .map_err(no_network)
}

fn no_network(error: std::io::Error) -> WireError {
    WireError::layer(
        Layer::Network,
        "the network inside cannot be set up",
        error,
        "allow network namespaces on this machine",
    )
}

/// Makes a terminal: the end that the supervisor holds, and the end of the command.
fn terminal(size: TerminalSize) -> std::io::Result<[OwnedFd; 2]> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    // The node below `/dev/pts` is closed to most users where this is not a mount of the sandbox's own.
    let held = rustix::fs::openat(CWD, c"/dev/pts/ptmx", flags, Mode::empty())
        .or_else(|_| rustix::fs::openat(CWD, c"/dev/ptmx", flags, Mode::empty()))?;
    rustix::pty::unlockpt(&held)?;
    let peer = rustix::pty::ioctl_tiocgptpeer(
        &held,
        rustix::pty::OpenptFlags::RDWR
            | rustix::pty::OpenptFlags::NOCTTY
            | rustix::pty::OpenptFlags::CLOEXEC,
    )?;
    rustix::termios::tcsetwinsize(
        &held,
        rustix::termios::Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )?;
    Ok([held, peer])
}

fn dev_null() -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, c"/dev/null", flags, Mode::empty())
}

/// Takes from all that follow what could ever give them a capability back. This process keeps its own.
fn drop_bounding_set() -> rustix::io::Result<()> {
    for bit in 0..u64::BITS {
        let one = rustix::thread::CapabilitySet::from_bits_retain(1 << bit);
        match rustix::thread::capability_is_in_bounding_set(one) {
            Ok(true) => rustix::thread::remove_capability_from_bounding_set(one)?,
            Ok(false) => {}
            // The kernel knows none of this number, nor above it.
            Err(_) => break,
        }
    }
    Ok(())
}
