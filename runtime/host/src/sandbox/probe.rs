//! Reports the isolation that a machine supports, without opening a sandbox.

use super::{Enforcement, SandboxPolicy};

/// Reports for each layer whether an isolated sandbox would enforce it on this machine, and how to fix each gap.
///
/// This function tries each primitive in a child process, which takes a few milliseconds and blocks. If a layer that
/// the policy does not accept as missing is not fully enforced, opening a sandbox would fail.
#[must_use]
pub fn probe(policy: &SandboxPolicy) -> Enforcement {
    #[cfg(target_os = "linux")]
    let enforcement = super::isolated::probe(policy);
    #[cfg(not(target_os = "linux"))]
    let enforcement = {
        use super::{Layer, LayerStatus};
        let _ = policy;
        let none = || LayerStatus::No {
            why: "namespaces, Landlock and seccomp are only available on Linux".to_owned(),
            mend: "use a container or another machine for the sandbox".to_owned(),
        };
        let layers = Layer::ALL.into_iter();
        layers.fold(Enforcement::new("none"), |table, layer| {
            table.with(layer, none())
        })
    };
    enforcement
}
