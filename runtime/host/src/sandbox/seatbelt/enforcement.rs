//! What `sandbox-exec` gives, and what it does not.

use crate::sandbox::{Enforcement, Layer, LayerStatus, SandboxPolicy};

const REMOTE: &str = "use a sandbox in a container or on a Linux machine";

/// Returns the enforcement table of the profile.
pub(super) fn table(policy: &SandboxPolicy) -> Enforcement {
    let network = if policy.network.allow.is_empty() {
        enforced("a profile without any network, not even loopback")
    } else {
        enforced("a profile with one way out, to the proxy that holds the rules")
    };
    Enforcement::new("seatbelt")
        .with(Layer::Files, enforced("a profile that denies by default"))
        .with(
            Layer::ProtectedPaths,
            partially_enforced(
                "a profile that denies changes by name, and moves of the folders above",
                "a whole folder can be moved to a protected name that does not exist yet",
            ),
        )
        .with(
            Layer::MaskedPaths,
            enforced("a profile that denies them by name"),
        )
        .with(
            Layer::Processes,
            partially_enforced(
                "signals and details of processes in the same sandbox only",
                "there is no process namespace, so the numbers of other processes can be seen",
            ),
        )
        .with(Layer::Network, network)
        .with(
            Layer::Privileges,
            partially_enforced(
                "programs that change the user are refused",
                "commands run as the user of this program",
            ),
        )
        .with(
            Layer::SystemCalls,
            not_enforced("macOS filters what a call is about, not which calls there are"),
        )
        .with(Layer::Landlock, not_enforced("it is Linux's"))
        .with(Layer::Environment, enforced("an allowlist"))
        .with(
            Layer::Descriptors,
            partially_enforced(
                "close-on-exec",
                "descriptors that this program opened without close-on-exec are inherited",
            ),
        )
        .with(
            Layer::Limits,
            partially_enforced(
                "rlimits for each process, a clock",
                "nothing limits what all processes use together",
            ),
        )
        .with(
            Layer::Lifetime,
            partially_enforced(
                "sessions, a mark in the environment",
                "what leaves its session lives on where this program is killed",
            ),
        )
}

fn enforced(by: &str) -> LayerStatus {
    LayerStatus::Yes { by: by.to_owned() }
}

fn not_enforced(why: &str) -> LayerStatus {
    LayerStatus::No {
        why: why.to_owned(),
        mend: REMOTE.to_owned(),
    }
}

fn partially_enforced(by: &str, lacks: &str) -> LayerStatus {
    LayerStatus::Partly {
        by: by.to_owned(),
        lacks: lacks.to_owned(),
        mend: REMOTE.to_owned(),
    }
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
