//! The state of a supervisor.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Instant;

use rustix::process::Pid;

use super::super::identity::Identity;
use super::super::stage::Staging;
use super::super::watch::Watch;
use super::super::wire::{self, InitReply, WireError};
use super::super::{Cgroup, Support};
use super::connection::Connection;
use super::process::Process;
use super::replies::PendingReply;
use super::sweeper::Sweeper;
use crate::sandbox::{Enforcement, ProcessId, SandboxId, SandboxPolicy};

/// The state of one sandbox.
pub(super) struct SandboxSupervisor {
    pub(super) id: SandboxId,
    pub(super) policy: SandboxPolicy,
    pub(super) enforcement: Enforcement,
    pub(super) environment: BTreeMap<String, String>,
    /// The init process; `None` after it has ended.
    pub(super) init: Option<InitProcess>,
    pub(super) sockets: Sockets,
    /// The listener for the network proxy, until it is sent to an app.
    pub(super) listener: Option<OwnedFd>,
    /// The connections, by a number that is never reused.
    pub(super) connections: BTreeMap<u64, Connection>,
    pub(super) next_connection: u64,
    pub(super) processes: BTreeMap<ProcessId, Process>,
    /// The IDs of processes in the order of their starts.
    pub(super) order: VecDeque<ProcessId>,
    pub(super) waiters: Vec<PendingReply>,
    /// A shim that waits for a command.
    pub(super) spare: Option<OwnedFd>,
    /// The time at which the next shim is created.
    pub(super) spare_due: Option<Instant>,
    /// Projected folders by name.
    pub(super) projected: BTreeMap<String, PathBuf>,
    /// The connection and the request that asked for the end of the sandbox.
    pub(super) closing: Option<(u64, u64)>,
    pub(super) sweeper: Sweeper,
    /// The watch on the folders, if this machine supports it.
    pub(super) watch: Option<Watch>,
    /// The notes to report with the end of the next command.
    pub(super) notes: Vec<String>,
    /// The time of the last check of files that commands made.
    pub(super) judged: Instant,
    /// Whether the folders must be checked before the next command.
    pub(super) look_due: bool,
    pub(super) support: Support,
    /// The control group of all processes; it can be removed when they have ended.
    pub(super) group: Option<Cgroup>,
    /// The layers of commands, if commands are staged.
    pub(super) staging: Option<Staging>,
}

/// The init process of a sandbox, seen from outside.
#[derive(Debug)]
pub(super) struct InitProcess {
    pub(super) pid: Pid,
    pub(super) socket: OwnedFd,
    pub(super) identity: Identity,
    pub(super) namespace: Option<OwnedFd>,
    pub(super) port: Option<u16>,
    pub(super) listener: Option<OwnedFd>,
}

impl InitProcess {
    /// Waits until an init process is ready.
    pub(super) fn await_ready(
        socket: OwnedFd,
        pid: Pid,
        identity: Identity,
    ) -> Result<Self, WireError> {
        match wire::receive::<InitReply>(&socket).map_err(no_answer)? {
            Some((InitReply::Ready { port }, mut files)) => Ok(Self {
                pid,
                socket,
                identity,
                namespace: None,
                port,
                listener: files.pop(),
            }),
            Some((InitReply::Failed(failure), _)) => Err(failure),
            Some(_) | None => Err(WireError::Closed(
                "the init process exited before it was ready".to_owned(),
            )),
        }
    }
}

pub(super) fn no_answer(error: io::Error) -> WireError {
    WireError::io("the first process does not answer", error)
}

/// The listening socket of a supervisor, and the folders of its sandbox.
#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) folder: PathBuf,
    pub(super) spool: PathBuf,
    pub(super) listener: UnixListener,
}
