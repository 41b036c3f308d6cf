//! What `sandbox-exec` gives, and what it does not.

use crate::sandbox::{Enforcement, Holds, Layer, SandboxPolicy};

const REMOTE: &str = "use a sandbox in a container or on a Linux machine";

/// Says of each layer what the profile does for it.
pub(super) fn table(policy: &SandboxPolicy) -> Enforcement {
    let network = if policy.network.allow.is_empty() {
        yes("a profile without any network, not even loopback")
    } else {
        yes("a profile with one way out, to the proxy that holds the rules")
    };
    Enforcement::new("seatbelt")
        .with(Layer::Files, yes("a profile that denies by default"))
        .with(
            Layer::ProtectedPaths,
            partly(
                "a profile that denies changes by name, and moves of the folders above",
                "a whole folder can be moved to a protected name that does not exist yet",
            ),
        )
        .with(
            Layer::MaskedPaths,
            yes("a profile that denies them by name"),
        )
        .with(
            Layer::Processes,
            partly(
                "signals and details of processes in the same sandbox only",
                "there is no process namespace, so the numbers of other processes can be seen",
            ),
        )
        .with(Layer::Network, network)
        .with(
            Layer::Privileges,
            partly(
                "programs that change the user are refused",
                "commands run as the user of this program",
            ),
        )
        .with(
            Layer::SystemCalls,
            no("macOS filters what a call is about, not which calls there are"),
        )
        .with(Layer::Landlock, no("it is Linux's"))
        .with(Layer::Environment, yes("an allowlist"))
        .with(
            Layer::Descriptors,
            partly(
                "close-on-exec",
                "what this program opened without it is inherited",
            ),
        )
        .with(
            Layer::Limits,
            partly(
                "rlimits for each process, a clock",
                "nothing limits what all processes use together",
            ),
        )
        .with(
            Layer::Lifetime,
            partly(
                "sessions, a mark in the environment",
                "what leaves its session lives on where this program is killed",
            ),
        )
}

fn yes(by: &str) -> Holds {
    Holds::Yes { by: by.to_owned() }
}

fn no(why: &str) -> Holds {
    Holds::No {
        why: why.to_owned(),
        mend: REMOTE.to_owned(),
    }
}

fn partly(by: &str, lacks: &str) -> Holds {
    Holds::Partly {
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
