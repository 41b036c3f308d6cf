//! What sandboxes have in common that are reached by running commands somewhere else.
//!
//! A [`Transport`] runs a command there. Two scripts (`far.sh`, `files.sh`) go into a private folder of the sandbox; the
//! rest are questions to them. A process is started by a script that outlives the connection, keeps what the process
//! writes, and records how it ends; so everything goes by ids, and who comes later finds it.
//!
//! Commands run as the same user as the scripts: a malicious one can disturb the records of its own sandbox.

mod archive;
mod files;
mod host;
mod id;
mod lease;
mod pipe;
mod process_script;
mod processes;
mod projections;
mod quote;
mod sandbox;
mod transport;

use helve_core::sandbox::{Enforcement, Gap, Layer, LayerStatus, SandboxError, SandboxPolicy};

pub(super) use host::{RemoteHost, failure};
pub(super) use id::new_id;
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
    let missing = enforcement
        .missing()
        .into_iter()
        .filter(|layer| !policy.accepted.contains(layer));
    let missing: Vec<Gap> = missing
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
