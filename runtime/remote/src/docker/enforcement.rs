//! The layers that hold in a container, as reported by the kernel there, not as requested.

use std::collections::BTreeMap;

use super::WorkspaceTransfer;
use helve_core::sandbox::{Enforcement, Layer, LayerStatus, SandboxPolicy};
use helve_host::sandbox::layer_status::{enforced, not_enforced, partially_enforced};

/// Prints the attributes of a process in the container, as the kernel reports them.
pub(super) const INSPECT_SCRIPT: &str = "cat /proc/self/status; \
    echo Root: $(grep -c ' / [^ ]* ro[, ]' /proc/mounts); \
    echo Interfaces: $(ls /sys/class/net 2>/dev/null | grep -vx lo | wc -l); \
    echo Pids: $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null); \
    echo Memory: $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null); \
    echo Outside: $(while read -r inside outside count; do [ $inside = 0 ] && echo $outside $count; done </proc/self/uid_map)";

/// The attributes of a process in the container.
pub(super) struct ContainerStatus {
    values: BTreeMap<String, String>,
}

impl ContainerStatus {
    /// Parses the output of [`INSPECT_SCRIPT`].
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

    fn first_word(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.split_whitespace().next()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.first_word(name)?.parse().ok()
    }

    /// Reports whether the memory of the whole container is limited.
    fn bounds_memory(&self) -> bool {
        // cgroup v1 reports a huge number if there is no limit.
        self.number("Memory").is_some_and(|bytes| bytes < 1 << 60)
    }

    /// Reports whether the user of commands is root outside of the container, too.
    fn is_root_outside(&self) -> bool {
        let outside = self.values.get("Outside");
        self.first_word("Uid") == Some("0") && outside.is_none_or(|id| id.starts_with("0 "))
    }
}

pub(super) fn table(
    inside: &ContainerStatus,
    policy: &SandboxPolicy,
    transfer: WorkspaceTransfer,
    all_masked: bool,
) -> Enforcement {
    let landlock = not_enforced(
        "the engine locks files with mounts alone",
        "use the isolated sandbox of this machine",
    );
    let environment = "`env -i`, the variables of the image and chosen ones";
    let descriptors = "the engine starts commands, and has no file of this process";
    let lifetime = "the container's first process, which ends with all others when no lease is renewed; the engine then \
                    removes the container";
    Enforcement::new("container")
        .with(Layer::Files, files(inside, transfer))
        .with(Layer::ProtectedPaths, protected_paths(transfer))
        .with(Layer::MaskedPaths, masked_paths(transfer, all_masked))
        .with(Layer::Processes, enforced("a pid namespace of its own"))
        .with(Layer::Network, network(inside, policy))
        .with(Layer::Privileges, privileges(inside))
        .with(Layer::SystemCalls, system_calls(inside))
        .with(Layer::Landlock, landlock)
        .with(Layer::Environment, enforced(environment))
        .with(Layer::Descriptors, enforced(descriptors))
        .with(Layer::Limits, limits(inside))
        .with(Layer::Lifetime, enforced(lifetime))
}

fn files(inside: &ContainerStatus, transfer: WorkspaceTransfer) -> LayerStatus {
    let by = match transfer {
        WorkspaceTransfer::Mount => "the image and the mounted workspace, in a mount namespace",
        WorkspaceTransfer::Copy => "the image and a copy of the workspace, in a mount namespace",
        WorkspaceTransfer::Empty => "the image, in a mount namespace",
    };
    if inside.number("Root").is_some_and(|count| count > 0) {
        return enforced(format!("{by}; the root is read-only"));
    }
    partially_enforced(
        by,
        "the files of the image can be changed, in this container",
        "use an engine that makes roots read-only",
    )
}

fn protected_paths(transfer: WorkspaceTransfer) -> LayerStatus {
    match transfer {
        WorkspaceTransfer::Mount => partially_enforced(
            "read-only mounts over what was there when the container was made",
            "new files can be created at protected paths, and their parent folders can be renamed",
            "work on a copy of the workspace (`WorkspaceTransfer::Copy`)",
        ),
        _ => enforced("nothing of this machine is in the container but a copy"),
    }
}

fn masked_paths(transfer: WorkspaceTransfer, all: bool) -> LayerStatus {
    match transfer {
        WorkspaceTransfer::Mount if !all => partially_enforced(
            "mounts over what was found",
            "the workspace has too many files to search all of them",
            "work in a smaller folder, or on a copy",
        ),
        WorkspaceTransfer::Mount => {
            enforced("mounts over what was there when the container was made")
        }
        _ => enforced("masked files are not copied"),
    }
}

fn network(inside: &ContainerStatus, policy: &SandboxPolicy) -> LayerStatus {
    if !inside.has_value("Interfaces", "0") {
        return not_enforced(
            "the container has a network interface",
            "use an engine that knows the network mode `none`",
        );
    }
    let by = "a network namespace without interfaces";
    if policy.network.allow.is_empty() {
        return enforced(by);
    }
    partially_enforced(
        by,
        "no host is reached at all, not even those that the policy allows",
        "use the isolated sandbox of this machine, which has a proxy",
    )
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
    if lacks.is_empty() {
        return enforced("no capabilities, no new privileges, an unprivileged user");
    }
    partially_enforced(
        "a container",
        &lacks.join(", "),
        "give the workspace to another user than root, or name one in the settings",
    )
}

fn system_calls(inside: &ContainerStatus) -> LayerStatus {
    if inside.has_value("Seccomp", "2") {
        return enforced("the engine's seccomp profile");
    }
    not_enforced(
        "the engine set no seccomp profile",
        "use an engine that was built with seccomp",
    )
}

fn limits(inside: &ContainerStatus) -> LayerStatus {
    let mut by = vec!["limits of each process, a bounded temporary file system"];
    let mut lacks = Vec::new();
    if inside.number("Pids").is_some() {
        by.push("a cgroup for processes")
    } else {
        lacks.push("how many processes there are")
    }
    if inside.bounds_memory() {
        by.push("a cgroup for memory")
    } else {
        lacks.push("how much memory all of them use together")
    }
    let by = by.join(", ");
    if lacks.is_empty() {
        return enforced(by);
    }
    partially_enforced(
        by,
        &lacks.join(", "),
        "let the engine make cgroups (version 2, delegated to its user)",
    )
}
