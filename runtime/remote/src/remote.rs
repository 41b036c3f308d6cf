//! The common part of sandboxes that are reached by running commands on another host.
//!
//! A [`Transport`] runs a command on the host. Two scripts (`far.sh`, `files.sh`) are installed in a private folder of
//! the sandbox; every operation calls one of them. A process is started by a script that outlives the connection,
//! stores the output of the process and records its exit, so that a client that attaches later finds the process by its
//! ID.
//!
//! Commands run as the same user as the scripts: a malicious command can corrupt the records of its own sandbox.

mod archive;
mod files;
mod host;
mod lease;
mod pipe;
mod process_script;
mod processes;
mod projections;
mod quote;
mod sandbox;
mod transport;

use helve_core::sandbox::{Enforcement, Gap, Layer, LayerStatus, SandboxError, SandboxPolicy};

pub(super) use host::{RemoteHost, failure, new_id};
pub(super) use process_script::{RemoteConfig, variables};
#[cfg(feature = "docker")]
pub(super) use projections::pack_projection;
pub(super) use quote::quote;
pub(super) use sandbox::{RemoteBackend, RemoteSandbox};
pub(super) use transport::{
    CommandEvent, CommandInput, RunningCommand, Transport, run_to_end, unreachable_error,
};

/// Fails if a layer is missing that is not accepted as missing.
pub(super) fn require(
    enforcement: &Enforcement,
    policy: &SandboxPolicy,
) -> Result<(), SandboxError> {
    let missing: Vec<Gap> = enforcement
        .missing()
        .into_iter()
        .filter(|layer| !policy.accepted.contains(layer))
        .map(|layer| gap(layer, enforcement.layers.get(&layer)))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(SandboxError::Isolation { missing })
    }
}

fn gap(layer: Layer, holds: Option<&LayerStatus>) -> Gap {
    let accept = format!("or accept that `{layer}` is missing");
    match holds {
        Some(LayerStatus::Partly { lacks, mend, .. }) => {
            Gap::new(layer, lacks, format!("{mend}, {accept}"))
        }
        Some(LayerStatus::No { why, mend }) => Gap::new(layer, why, format!("{mend}, {accept}")),
        _ => Gap::new(layer, "not enforced by this sandbox", accept),
    }
}
