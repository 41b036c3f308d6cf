//! The layers that `sandbox-exec` enforces.

use crate::sandbox::layer_status::{enforced, not_enforced, partially_enforced};
use crate::sandbox::{Enforcement, Layer, SandboxPolicy};

const REMOTE: &str = "use a sandbox in a container or on a Linux machine";

/// The layers that are partially enforced, with the mechanism and the gap.
const PARTIAL: [(Layer, &str, &str); 6] = [
    (
        Layer::ProtectedPaths,
        "a profile that denies changes by name, and moves of the folders above",
        "a whole folder can be moved to a protected name that does not exist yet",
    ),
    (
        Layer::Processes,
        "signals and details of processes in the same sandbox only",
        "there is no process namespace, so the numbers of other processes can be seen",
    ),
    (
        Layer::Privileges,
        "programs that change the user are refused",
        "commands run as the user of this program",
    ),
    (
        Layer::Descriptors,
        "close-on-exec",
        "descriptors that this program opened without close-on-exec are inherited",
    ),
    (
        Layer::Limits,
        "rlimits for each process, a clock",
        "nothing limits what all processes use together",
    ),
    (
        Layer::Lifetime,
        "sessions, a mark in the environment",
        "what leaves its session lives on where this program is killed",
    ),
];

pub(super) fn table(policy: &SandboxPolicy) -> Enforcement {
    let network = if policy.needs_proxy() {
        "a profile with one way out, to the proxy that holds the rules"
    } else {
        "a profile without any network, not even loopback"
    };
    let system_calls = "macOS filters what a call is about, not which calls there are";
    let mut table = Enforcement::new("seatbelt");
    for (layer, by) in [
        (Layer::Files, "a profile that denies by default"),
        (Layer::MaskedPaths, "a profile that denies them by name"),
        (Layer::Network, network),
        (Layer::Environment, "an allowlist"),
    ] {
        table = table.with(layer, enforced(by));
    }
    for (layer, by, lacks) in PARTIAL {
        table = table.with(layer, partially_enforced(by, lacks, REMOTE));
    }
    table
        .with(Layer::SystemCalls, not_enforced(system_calls, REMOTE))
        .with(Layer::Landlock, not_enforced("it is Linux's", REMOTE))
}

#[cfg(test)]
mod tests {
    use super::table;
    use crate::sandbox::{Layer, SandboxPolicy};

    #[test]
    fn every_layer_is_spoken_of_and_what_is_not_there_is_said() {
        let table = table(&SandboxPolicy::new("/ws"));
        assert!(
            Layer::ALL
                .iter()
                .all(|layer| table.layers.contains_key(layer))
        );
        let missing = table.missing();
        for layer in [Layer::SystemCalls, Layer::Landlock, Layer::Processes] {
            assert!(missing.contains(&layer), "{layer:?}");
        }
        assert!(!missing.contains(&Layer::Files) && !missing.contains(&Layer::Network));
    }
}
