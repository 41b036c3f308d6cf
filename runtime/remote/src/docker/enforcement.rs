//! What holds in a container: what the kernel says there, not what was asked for.

use std::collections::BTreeMap;

use super::WorkspaceTransfer;
use helve_core::sandbox::{Enforcement, Layer, LayerStatus, SandboxPolicy};

/// Prints the attributes of a process in the container, as the kernel reports them.
pub(super) const INSPECT_SCRIPT: &str = "cat /proc/self/status; \
    echo Root: $(grep -c ' / [^ ]* ro[, ]' /proc/mounts); \
    echo Interfaces: $(ls /sys/class/net 2>/dev/null | grep -vx lo | wc -l); \
    echo Pids: $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null); \
    echo Memory: $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null); \
    echo Outside: $(while read -r inside outside count; do [ $inside = 0 ] && echo $outside $count; done </proc/self/uid_map)";

/// What a process in the container is.
pub(super) struct ContainerStatus {
    values: BTreeMap<String, String>,
}

impl ContainerStatus {
    /// Reads what [`INSPECT_SCRIPT`] printed.
    pub(super) fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        let values = lines.map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
        Self {
            values: values.collect(),
        }
    }

    fn has_value(&self, name: &str, value: &str) -> bool {
        self.values.get(name).is_some_and(|found| found == value)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.values
            .get(name)?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    }

    /// Reports whether there is a bound on the memory of the whole container.
    fn bounds_memory(&self) -> bool {
        // Version 1 has a huge number for none.
        self.number("Memory").is_some_and(|bytes| bytes < 1 << 60)
    }

    /// Reports whether the user of commands is root outside of the container, too.
    fn is_root_outside(&self) -> bool {
        let is_root = self
            .values
            .get("Uid")
            .is_some_and(|ids| ids.split_whitespace().next() == Some("0"));
        let same = self
            .values
            .get("Outside")
            .is_none_or(|outside| outside.starts_with("0 "));
        is_root && same
    }
}

/// Returns the enforcement table of a container.
pub(super) fn table(
    inside: &ContainerStatus,
    policy: &SandboxPolicy,
    transfer: WorkspaceTransfer,
    all_masked: bool,
) -> Enforcement {
    let yes = |by: &str| LayerStatus::Yes { by: by.to_owned() };
    Enforcement::new("container")
        .with(Layer::Files, files(inside, transfer))
        .with(Layer::ProtectedPaths, protected_paths(transfer))
        .with(Layer::MaskedPaths, masked_paths(transfer, all_masked))
        .with(Layer::Processes, yes("a pid namespace of its own"))
        .with(Layer::Network, network(inside, policy))
        .with(Layer::Privileges, privileges(inside))
        .with(Layer::SystemCalls, system_calls(inside))
        .with(
            Layer::Landlock,
            LayerStatus::No {
                why: "the engine locks files with mounts alone".to_owned(),
                mend: "use the isolated sandbox of this machine".to_owned(),
            },
        )
        .with(Layer::Environment, yes("`env -i`, the variables of the image and chosen ones"))
        .with(Layer::Descriptors, yes("the engine starts commands, and has no file of this process"))
        .with(Layer::Limits, limits(inside))
        .with(
            Layer::Lifetime,
            yes("the container's first process, which ends with all others when no lease is renewed; the engine then \
                 removes the container"),
        )
}

fn files(inside: &ContainerStatus, transfer: WorkspaceTransfer) -> LayerStatus {
    let by = match transfer {
        WorkspaceTransfer::Mount => "the image and the mounted workspace, in a mount namespace",
        WorkspaceTransfer::Copy => "the image and a copy of the workspace, in a mount namespace",
        WorkspaceTransfer::Empty => "the image, in a mount namespace",
    };
    if inside.number("Root").is_some_and(|count| count > 0) {
        LayerStatus::Yes {
            by: format!("{by}; the root is read-only"),
        }
    } else {
        LayerStatus::Partly {
            by: by.to_owned(),
            lacks: "the files of the image can be changed, in this container".to_owned(),
            mend: "use an engine that makes roots read-only".to_owned(),
        }
    }
}

fn protected_paths(transfer: WorkspaceTransfer) -> LayerStatus {
    match transfer {
        WorkspaceTransfer::Mount => LayerStatus::Partly {
            by: "read-only mounts over what was there when the container was made".to_owned(),
            lacks: "new files can be created at protected paths, and their parent folders can be renamed"
                .to_owned(),
            mend: "work on a copy of the workspace (`WorkspaceTransfer::Copy`)".to_owned(),
        },
        _ => LayerStatus::Yes {
            by: "nothing of this machine is in the container but a copy".to_owned(),
        },
    }
}

fn masked_paths(transfer: WorkspaceTransfer, all: bool) -> LayerStatus {
    match transfer {
        WorkspaceTransfer::Mount if !all => LayerStatus::Partly {
            by: "mounts over what was found".to_owned(),
            lacks: "the workspace has too many files to search all of them".to_owned(),
            mend: "work in a smaller folder, or on a copy".to_owned(),
        },
        WorkspaceTransfer::Mount => LayerStatus::Yes {
            by: "mounts over what was there when the container was made".to_owned(),
        },
        _ => LayerStatus::Yes {
            by: "masked files are not copied".to_owned(),
        },
    }
}

fn network(inside: &ContainerStatus, policy: &SandboxPolicy) -> LayerStatus {
    if !inside.has_value("Interfaces", "0") {
        return LayerStatus::No {
            why: "the container has a network interface".to_owned(),
            mend: "use an engine that knows the network mode `none`".to_owned(),
        };
    }
    if policy.network.allow.is_empty() {
        return LayerStatus::Yes {
            by: "a network namespace without interfaces".to_owned(),
        };
    }
    LayerStatus::Partly {
        by: "a network namespace without interfaces".to_owned(),
        lacks: "no host is reached at all, not even those that the policy allows".to_owned(),
        mend: "use the isolated sandbox of this machine, which has a proxy".to_owned(),
    }
}

fn privileges(inside: &ContainerStatus) -> LayerStatus {
    let none = "0000000000000000";
    let mut lacks = Vec::new();
    if !inside.has_value("CapEff", none) || !inside.has_value("CapBnd", none) {
        lacks.push("there are capabilities left");
    }
    if !inside.has_value("NoNewPrivs", "1") {
        lacks.push("programs may gain privileges");
    }
    if inside.is_root_outside() {
        lacks.push("commands run as root, without capabilities, and files of root are theirs");
    }
    let by = "no capabilities, no new privileges, an unprivileged user".to_owned();
    if lacks.is_empty() {
        return LayerStatus::Yes { by };
    }
    LayerStatus::Partly {
        by: "a container".to_owned(),
        lacks: lacks.join(", "),
        mend: "give the workspace to another user than root, or name one in the settings"
            .to_owned(),
    }
}

fn system_calls(inside: &ContainerStatus) -> LayerStatus {
    if inside.has_value("Seccomp", "2") {
        return LayerStatus::Yes {
            by: "the engine's seccomp profile".to_owned(),
        };
    }
    LayerStatus::No {
        why: "the engine set no seccomp profile".to_owned(),
        mend: "use an engine that was built with seccomp".to_owned(),
    }
}

fn limits(inside: &ContainerStatus) -> LayerStatus {
    let (pids, memory) = (inside.number("Pids").is_some(), inside.bounds_memory());
    let mut by = vec!["limits of each process, a bounded temporary file system"];
    let mut lacks = Vec::new();
    if pids {
        by.push("a cgroup for processes")
    } else {
        lacks.push("how many processes there are")
    }
    if memory {
        by.push("a cgroup for memory")
    } else {
        lacks.push("how much memory all of them use together")
    }
    let by = by.join(", ");
    if lacks.is_empty() {
        return LayerStatus::Yes { by };
    }
    LayerStatus::Partly {
        by,
        lacks: lacks.join(", "),
        mend: "let the engine make cgroups (version 2, delegated to its user)".to_owned(),
    }
}
