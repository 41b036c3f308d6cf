//! A sandbox without namespaces, for somebody who accepted what that does not keep.

use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;

use rustix::process::Pid;

use super::super::Support;
use super::super::identity::{Identity, Kind};
use super::super::init::given::{self, Given};
use super::super::os::{self, Side};
use super::super::wire::{self, Failure, InitReply, Opening};
use super::state::InitProcess;
use crate::sandbox::spool::own_folder;

/// Starts the process that forks shims, with a home and a folder for temporary files of the sandbox's own.
pub(super) fn spawn_init(opening: &mut Opening, support: &Support) -> Result<InitProcess, Failure> {
    let mut private = Vec::new();
    own_folder(&opening.spool).map_err(|error| {
        Failure::io(
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
                Failure::io(format!("`{}` cannot be made", folder.display()), error)
            })?;
        let path = folder.to_string_lossy().into_owned();
        opening.environment.insert(variable.to_owned(), path);
        private.push(folder);
    }
    let failed = |error: std::io::Error| Failure::io("the first process cannot be started", error);
    let (socket, theirs) = UnixStream::pair().map_err(failed)?;
    let (socket, theirs) = (OwnedFd::from(socket), OwnedFd::from(theirs));
    let given = Given {
        policy: opening.policy.clone(),
        support: support.clone(),
        private,
        has_network: false,
    };
    let pid = match os::fork().map_err(failed)? {
        Side::Child => {
            drop(socket);
            given::run(&given, theirs)
        }
        Side::Parent(pid) => pid,
    };
    drop(theirs);
    await_ready(socket, pid)
}

/// Waits until a first process stands.
pub(super) fn await_ready(socket: OwnedFd, pid: Pid) -> Result<InitProcess, Failure> {
    let heard = wire::receive::<InitReply>(&socket)
        .map_err(|error| Failure::io("the first process does not answer", error))?;
    match heard {
        Some((InitReply::Ready { port }, mut files)) => Ok(InitProcess {
            pid,
            socket,
            identity: own(),
            namespace: None,
            port,
            listener: files.pop(),
        }),
        Some((InitReply::Failed(failure), _)) => Err(failure),
        Some(_) | None => Err(Failure::Closed(
            "its first process ended before it stood".to_owned(),
        )),
    }
}

/// Commands are who the app is.
fn own() -> Identity {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    Identity {
        user,
        group,
        outer_user: user,
        outer_group: group,
        kind: Kind::Root,
    }
}
