//! The layers that are enforced without isolation.

use crate::sandbox::layer_status::{enforced, not_enforced, partially_enforced};
use crate::sandbox::{Enforcement, Layer};

/// The hint for every layer.
const HINT: &str = "use the sandbox `local`";

pub(super) fn table() -> Enforcement {
    let mut table = Enforcement::new("passthrough");
    for (layer, why) in [
        (
            Layer::Files,
            "commands see the files of this program's user",
        ),
        (Layer::ProtectedPaths, "commands can change them"),
        (Layer::MaskedPaths, "nothing hides them"),
        (
            Layer::Processes,
            "commands see the processes of this machine",
        ),
        (Layer::Network, "commands reach the network of this machine"),
        (
            Layer::Privileges,
            "commands have the rights of this program",
        ),
        (Layer::SystemCalls, "no system call is refused"),
        (Layer::Landlock, "it is not used"),
    ] {
        table = table.with(layer, not_enforced(why, HINT));
    }
    let descriptors = if cfg!(target_os = "linux") {
        enforced("close_range before the command")
    } else {
        partially_enforced(
            "close-on-exec",
            "descriptors that this program opened without close-on-exec are inherited",
            HINT,
        )
    };
    table
        .with(Layer::Environment, enforced("an allowlist"))
        .with(Layer::Descriptors, descriptors)
        .with(
            Layer::Limits,
            partially_enforced(
                "rlimits for each process, a clock",
                "neither the number of processes nor their total use is limited",
                HINT,
            ),
        )
        .with(
            Layer::Lifetime,
            partially_enforced(
                "sessions, a mark in the environment, PDEATHSIG",
                "what leaves its session and drops its environment lives on, and so does what a command started where \
                 this program is killed",
                HINT,
            ),
        )
}
