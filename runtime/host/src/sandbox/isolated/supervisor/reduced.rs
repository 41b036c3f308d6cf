//! A sandbox without namespaces, for policies that accept the missing layers.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::super::Support;
use super::super::identity::Identity;
use super::super::init::external::{self, ExternalInitTask};
use super::super::os::{self, ForkResult};
use super::super::wire::{OpenRequest, WireError};
use super::state::InitProcess;
use crate::sandbox::spool::ensure_own_folder;

/// Starts the process that forks shims, with the sandbox's own home and temporary folder.
pub(super) fn spawn_init(
    opening: &mut OpenRequest,
    support: &Support,
) -> Result<InitProcess, WireError> {
    let mut private = Vec::new();
    let not_made = |folder: &Path, error: std::io::Error| {
        WireError::io(format!("`{}` cannot be made", folder.display()), error)
    };
    ensure_own_folder(&opening.spool).map_err(|error| not_made(&opening.spool, error))?;
    for (name, variable) in [("home", "HOME"), ("tmp", "TMPDIR")] {
        // The folders are beside the output, which commands cannot reach, and are removed with the sandbox.
        let folder = opening.spool.join(format!(".{name}"));
        let made = DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|error| not_made(&folder, error))?;
        let path = folder.to_string_lossy().into_owned();
        opening.environment.insert(variable.to_owned(), path);
        private.push(folder);
    }
    let failed =
        |error: std::io::Error| WireError::io("the first process cannot be started", error);
    let (socket, theirs) = os::socket_pair().map_err(failed)?;
    let given = ExternalInitTask {
        policy: opening.policy.clone(),
        support: support.clone(),
        private,
        has_network: false,
    };
    let pid = match os::fork().map_err(failed)? {
        ForkResult::Child => {
            drop(socket);
            external::run(&given, &theirs)
        }
        ForkResult::Parent(pid) => pid,
    };
    drop(theirs);
    InitProcess::await_ready(socket, pid, Identity::current()).inspect_err(|_| os::kill_child(pid))
}
