//! What a machine could isolate commands with, without opening a sandbox.

use super::{Enforcement, SandboxPolicy};

/// Reports for each layer whether an isolated sandbox would enforce it on this machine, and how to fix each gap.
///
/// It tries each primitive in a child process, which takes a few milliseconds, so call it where blocking is fine. Where
/// a layer that the policy does not accept as missing is not whole, a sandbox would refuse to open.
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
