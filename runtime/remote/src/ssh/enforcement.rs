//! The enforcement table of a remote machine, which enforces little.

use helve_core::sandbox::{Enforcement, Layer};
use helve_host::sandbox::layer_status::{enforced, not_enforced, partially_enforced};

pub(super) fn table() -> Enforcement {
    let mend = "give that user nothing that commands must not reach, or open a container there";
    let mut table = Enforcement::new("ssh");
    for (layer, what) in [
        (Layer::Files, "commands reach every file"),
        (Layer::ProtectedPaths, "commands change every file"),
        (Layer::MaskedPaths, "commands read every file"),
        (Layer::Processes, "commands reach every process"),
        (Layer::Network, "commands reach the network"),
        (Layer::Privileges, "commands may gain privileges (`sudo`)"),
        (Layer::SystemCalls, "commands make every system call"),
        (
            Layer::Landlock,
            "nothing is locked, so commands reach files",
        ),
    ] {
        let why = format!("{what} on the other machine as far as its user may");
        table = table.with(layer, not_enforced(why, mend));
    }
    table
        .with(
            Layer::Environment,
            enforced("`env -i` and chosen variables; none of this machine but those that are passed"),
        )
        .with(
            Layer::Descriptors,
            enforced("a shell of their own on the other machine, which got none"),
        )
        .with(
            Layer::Limits,
            partially_enforced(
                "time on the clock; computing time, data, file size and open files for each process",
                "how many processes there are, and what all of them use together",
                "limit that user on the other machine (`systemd`'s user slice)",
            ),
        )
        .with(
            Layer::Lifetime,
            partially_enforced(
                "a lease on the other machine, at the end of which everything is killed that carries the sandbox's mark \
                 in its environment",
                "a command that leaves its session and clears its environment goes on",
                "let that user's processes end with its sessions (`KillUserProcesses=yes`)",
            ),
        )
}
