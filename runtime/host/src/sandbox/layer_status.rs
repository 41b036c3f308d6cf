//! Constructors of layer statuses, and the gaps that prevent a sandbox from being opened.

use std::sync::Arc;

use super::{Egress, EgressGate, Enforcement, Gap, Layer, LayerStatus, SandboxPolicy};

/// Returns the status of a layer that is enforced by a mechanism.
pub fn enforced(by: impl Into<String>) -> LayerStatus {
    LayerStatus::Yes { by: by.into() }
}

/// Returns the status of a layer that is partially enforced.
pub fn partially_enforced(by: impl Into<String>, lacks: &str, mend: &str) -> LayerStatus {
    LayerStatus::Partly {
        by: by.into(),
        lacks: lacks.to_owned(),
        mend: mend.to_owned(),
    }
}

/// Returns the status of a layer that is not enforced.
pub fn not_enforced(why: impl Into<String>, mend: &str) -> LayerStatus {
    LayerStatus::No {
        why: why.into(),
        mend: mend.to_owned(),
    }
}

/// Derives the egress from the enforced layers of a sandbox: without the network layer, connections are unchecked.
pub(crate) fn egress_of(
    enforcement: &Enforcement,
    policy: &SandboxPolicy,
    gate: Option<&Arc<EgressGate>>,
) -> Egress {
    let holds = enforcement.layers.get(&Layer::Network);
    match gate {
        _ if !matches!(holds, Some(LayerStatus::Yes { .. })) => Egress::Unchecked,
        Some(gate) => Egress::Gated(Arc::clone(gate)),
        None if !policy.needs_proxy() => Egress::Closed,
        None => Egress::Unchecked,
    }
}

/// Returns the layers that do not hold in full and that the policy does not accept as missing.
pub fn gaps(enforcement: &Enforcement, policy: &SandboxPolicy) -> Vec<Gap> {
    let missing = enforcement.missing().into_iter();
    missing
        .filter(|layer| !policy.accepted.contains(layer))
        .map(|layer| match enforcement.layers.get(&layer) {
            Some(LayerStatus::No { why, mend }) => Gap::new(layer, why, mend),
            Some(LayerStatus::Partly { lacks, mend, .. }) => Gap::new(layer, lacks, mend),
            Some(LayerStatus::Yes { .. }) | None => Gap::new(layer, "not enforced", ""),
        })
        .collect()
}
