//! A sandbox without namespaces, for policies that accept the missing layers.

use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;

use rustix::process::Pid;

use super::super::Support;
use super::super::identity::{Identity, IdentityKind};
use super::super::init::external::{self, ExternalInitTask};
use super::super::os::{self, ForkResult};
use super::super::wire::{self, InitReply, OpenRequest, WireError};
use super::state::InitProcess;
use crate::sandbox::spool::ensure_own_folder;

/// Starts the process that forks shims, with a home and a folder for temporary files of the sandbox's own.
pub(super) fn spawn_init(
    opening: &mut OpenRequest,
    support: &Support,
) -> Result<InitProcess, WireError> {
    let mut private = Vec::new();
    ensure_own_folder(&opening.spool).map_err(|error| {
        WireError::io(
            format!("`{}` cannot be made", opening.spool.display()),
            error,
        )
    })?;
    for (name, variable) in [("home", "HOME"), ("tmp", "TMPDIR")] {
        // Beside the output, which commands cannot reach: a folder there goes with the sandbox.
        let folder = opening.spool.join(format!(".{name}"));
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|error| {
                WireError::io(format!("`{}` cannot be made", folder.display()), error)
            })?;
        let path = folder.to_string_lossy().into_owned();
        opening.environment.insert(variable.to_owned(), path);
        private.push(folder);
    }
    let failed =
        |error: std::io::Error| WireError::io("the first process cannot be started", error);
    let (socket, theirs) = UnixStream::pair().map_err(failed)?;
    let (socket, theirs) = (OwnedFd::from(socket), OwnedFd::from(theirs));
    let given = ExternalInitTask {
        policy: opening.policy.clone(),
        support: support.clone(),
        private,
        has_network: false,
    };
    let pid = match os::fork().map_err(failed)? {
        ForkResult::Child => {
            drop(socket);
            external::run(&given, theirs)
        }
        ForkResult::Parent(pid) => pid,
    };
    drop(theirs);
    await_ready(socket, pid)
}

/// Waits until a first process stands.
pub(super) fn await_ready(socket: OwnedFd, pid: Pid) -> Result<InitProcess, WireError> {
    let heard = wire::receive::<InitReply>(&socket)
        .map_err(|error| WireError::io("the first process does not answer", error))?;
    match heard {
        Some((InitReply::Ready { port }, mut files)) => Ok(InitProcess {
            pid,
            socket,
            identity: current_identity(),
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

/// Commands are who the app is.
fn current_identity() -> Identity {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    Identity {
        user,
        group,
        outer_user: user,
        outer_group: group,
        kind: IdentityKind::Root,
    }
}
