//! An init process that uses existing namespaces: those that bubblewrap created, or those of the machine.

use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Init, dev_null, listen, serve};
use crate::sandbox::SandboxPolicy;
use crate::sandbox::isolated::wire::{self, WireError};
use crate::sandbox::isolated::{Confinement, Support};
use crate::support::{descriptors, oom_score};

/// The configuration of such an init process.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct ExternalInitTask {
    pub(in super::super) policy: SandboxPolicy,
    pub(in super::super) support: Support,
    /// The folders that belong to the sandbox alone.
    pub(in super::super) private: Vec<PathBuf>,
    /// Whether the sandbox has its own network namespace, where a proxy can listen.
    pub(in super::super) has_network: bool,
}

/// Runs an init process in a program that bubblewrap started: the supervisor is at the other end of the standard input.
pub(crate) fn run_as_helper() -> ! {
    let supervisor = std::io::stdin().as_fd().try_clone_to_owned();
    if let Ok(supervisor) = supervisor
        && let Ok(Some((given, _))) = wire::receive::<ExternalInitTask>(&supervisor)
    {
        run(&given, &supervisor)
    }
    std::process::exit(1)
}

/// Serves the supervisor until the connection closes.
pub(in super::super) fn run(given: &ExternalInitTask, supervisor: &OwnedFd) -> ! {
    // Under memory pressure the kernel should kill this process before the app and the user's programs, if it may raise
    // its score.
    let _ = oom_score::raise(oom_score::SANDBOXED);
    // The descriptors of the supervisor must not be inherited.
    if dev_null().and_then(rustix::stdio::dup2_stdin).is_err()
        || descriptors::close_others(&[supervisor.as_fd()]).is_err()
    {
        std::process::exit(1);
    }
    serve(supervisor, prepare(given))
}

fn prepare(given: &ExternalInitTask) -> Result<(Init, Option<TcpListener>), WireError> {
    let listener = if given.has_network {
        listen(&given.policy)?
    } else {
        None
    };
    let confinement = Confinement::prepare(&given.policy, &given.support, &given.private)?;
    // Orphans of a shim are reparented to this process, not to the first process of the machine.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| WireError::io("failed to become a child subreaper", error))?;
    let init = Init::settle(None, confinement)?;
    Ok((init, listener))
}
