//! The enforcement table of a remote machine, which enforces little.

use helve_core::sandbox::{Enforcement, Layer, LayerStatus};

/// Returns what holds.
pub(super) fn table() -> Enforcement {
    let theirs = |what: &str| LayerStatus::No {
        why: format!("{what} on the other machine as far as its user may"),
        mend: "give that user nothing that commands must not reach, or open a container there"
            .to_owned(),
    };
    Enforcement::new("ssh")
        .with(Layer::Files, theirs("commands reach every file"))
        .with(Layer::ProtectedPaths, theirs("commands change every file"))
        .with(Layer::MaskedPaths, theirs("commands read every file"))
        .with(Layer::Processes, theirs("commands reach every process"))
        .with(Layer::Network, theirs("commands reach the network"))
        .with(Layer::Privileges, theirs("commands may gain privileges (`sudo`)"))
        .with(Layer::SystemCalls, theirs("commands make every system call"))
        .with(Layer::Landlock, theirs("nothing is locked, so commands reach files"))
        .with(
            Layer::Environment,
            LayerStatus::Yes { by: "`env -i` and chosen variables; none of this machine but those that are passed".to_owned() },
        )
        .with(
            Layer::Descriptors,
            LayerStatus::Yes { by: "a shell of their own on the other machine, which got none".to_owned() },
        )
        .with(
            Layer::Limits,
            LayerStatus::Partly {
                by: "time on the clock; computing time, data, file size and open files for each process".to_owned(),
                lacks: "how many processes there are, and what all of them use together".to_owned(),
                mend: "limit that user on the other machine (`systemd`'s user slice)".to_owned(),
            },
        )
        .with(
            Layer::Lifetime,
            LayerStatus::Partly {
                by: "a lease on the other machine, at the end of which everything is killed that carries the sandbox's \
                     mark in its environment"
                    .to_owned(),
                lacks: "a command that leaves its session and clears its environment goes on".to_owned(),
                mend: "let that user's processes end with its sessions (`KillUserProcesses=yes`)".to_owned(),
            },
        )
}
