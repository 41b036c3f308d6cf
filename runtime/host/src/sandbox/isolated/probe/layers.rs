//! The status of each layer, for each mechanism.

use super::{Mechanism, Obstacle, Primitive, Support};
use crate::sandbox::{Enforcement, Layer, LayerStatus, SandboxPolicy};

impl Support {
    /// Returns the status of each layer of a sandbox with this mechanism.
    pub(crate) fn enforcement(&self, policy: &SandboxPolicy, by: &Mechanism) -> Enforcement {
        let none = Enforcement::new(by.name());
        Layer::ALL.into_iter().fold(none, |table, layer| {
            table.with(layer, layer_status(self, policy, by, layer))
        })
    }
}

fn layer_status(
    support: &Support,
    policy: &SandboxPolicy,
    mechanism: &Mechanism,
    layer: Layer,
) -> LayerStatus {
    match (layer, mechanism) {
        (Layer::Environment, _) => enforced("allowlist"),
        (Layer::SystemCalls, _) => enforced_unless_missing(support, layer, "seccomp filter"),
        (Layer::Descriptors, _) => enforced_unless_missing(support, layer, "close_range"),
        (Layer::Landlock, mechanism) => landlock(support, mechanism),
        (Layer::Limits, mechanism) if support.has(Primitive::Limits) => limits(support, mechanism),
        (Layer::Limits, _) => enforced_unless_missing(support, layer, ""),
        (Layer::Privileges, _) if !support.has(Primitive::Capabilities) => {
            enforced_unless_missing(support, layer, "")
        }
        (layer, Mechanism::Reduced) => reduced_status(support, policy, layer),
        // bubblewrap maps its caller to itself, and root to root.
        (Layer::Privileges, Mechanism::Bubblewrap { .. }) if support.root => LayerStatus::Partly {
            by: "user namespace, no capabilities, no_new_privs (made by bubblewrap)".to_owned(),
            lacks: "outside, commands own what root owns".to_owned(),
            mend: "run this program as an ordinary user".to_owned(),
        },
        (layer, Mechanism::Namespaces) => enforced(namespaces(policy, layer)),
        (layer, Mechanism::Bubblewrap { .. }) => enforced(format!(
            "{} (made by bubblewrap)",
            namespaces(policy, layer)
        )),
    }
}

fn namespaces(policy: &SandboxPolicy, layer: Layer) -> &'static str {
    match layer {
        Layer::Files => "user and mount namespaces, pivot_root to a root of chosen folders",
        Layer::ProtectedPaths => "read-only mounts, folders above them pinned",
        Layer::MaskedPaths => "mounts over them",
        Layer::Processes => "pid, ipc, uts and cgroup namespaces",
        Layer::Network if !policy.needs_proxy() => "network namespace",
        Layer::Network => "network namespace, a proxy for the allowed hosts",
        Layer::Privileges => "user namespace, no capabilities, no_new_privs",
        Layer::Lifetime => "the pid namespace ends with the supervisor",
        Layer::SystemCalls
        | Layer::Landlock
        | Layer::Environment
        | Layer::Descriptors
        | Layer::Limits => "",
    }
}

/// Returns the status of a layer without namespaces, from Landlock, seccomp and the fork server alone.
fn reduced_status(support: &Support, policy: &SandboxPolicy, layer: Layer) -> LayerStatus {
    let (by, lacks) = match layer {
        Layer::Files if support.landlock().is_ok() => (
            "Landlock",
            "names, sizes and modes of all files are visible, and commands can change modes and times of the user's files",
        ),
        Layer::Processes if support.landlock >= 6 && support.landlock().is_ok() => (
            "Landlock scopes (signals, tracing)",
            "the processes of the machine and their arguments are seen",
        ),
        Layer::Network if !support.has(Primitive::Seccomp) => return not_enforced(support, layer),
        Layer::Network if policy.network.allow.is_empty() => {
            return enforced("seccomp: no sockets");
        }
        Layer::Network => (
            "seccomp: no sockets",
            "the allowed hosts are not reachable either",
        ),
        Layer::Privileges if support.root => (
            "no capabilities, no_new_privs",
            "commands run as root, so they own root's files",
        ),
        Layer::Privileges => return enforced("no capabilities, no_new_privs"),
        Layer::Lifetime => (
            "a child subreaper",
            "a process can outlive its session when the supervisor is killed",
        ),
        _ => return not_enforced(support, layer),
    };
    let obstacle = namespace_obstacle(support, layer);
    LayerStatus::Partly {
        by: by.to_owned(),
        lacks: format!("{lacks}, because {}", obstacle.why),
        mend: obstacle.mend,
    }
}

fn not_enforced(support: &Support, layer: Layer) -> LayerStatus {
    let Obstacle { why, mend } = namespace_obstacle(support, layer);
    LayerStatus::No { why, mend }
}

/// Returns the obstacle to namespaces, and to bubblewrap, which could create them.
fn namespace_obstacle(support: &Support, layer: Layer) -> Obstacle {
    let own = support
        .obstacle(layer)
        .or_else(|| support.missing.values().next())
        .cloned()
        .unwrap_or_else(|| Obstacle::new("namespaces are not used", "use namespaces"));
    match &support.bubblewrap {
        Some(Err(other)) => Obstacle {
            why: format!("{}; {}", own.why, other.why),
            mend: format!("{}, or {}", own.mend, other.mend),
        },
        _ => own,
    }
}

/// Returns the status of the Landlock layer. Newer versions add truncation, sockets and signals, which mounts and
/// namespaces also restrict. The first version denies every move from one folder to another.
fn landlock(support: &Support, mechanism: &Mechanism) -> LayerStatus {
    let (needed, lacks, mend) = match mechanism {
        Mechanism::Namespaces | Mechanism::Bubblewrap { .. } => {
            let lacks = "files cannot be moved from one folder to another";
            (2, lacks, "use Linux 5.19 or newer")
        }
        Mechanism::Reduced => {
            let lacks = "signals and abstract sockets, before ABI 3 truncation";
            (6, lacks, "use Linux 6.12 or newer")
        }
    };
    match support.landlock() {
        Err(_) => enforced_unless_missing(support, Layer::Landlock, ""),
        Ok(version) if version >= needed => enforced(format!("Landlock ABI {version}")),
        Ok(version) => LayerStatus::Partly {
            by: format!("Landlock ABI {version}"),
            lacks: lacks.to_owned(),
            mend: mend.to_owned(),
        },
    }
}

fn limits(support: &Support, mechanism: &Mechanism) -> LayerStatus {
    match (&support.cgroup, mechanism) {
        (Ok(group), _) => enforced(format!("{group}; rlimits")),
        // The kernel does not limit the processes of root, and the limit of the sandbox's user namespace applies to all
        // others.
        (Err(obstacle), _) if support.root => LayerStatus::Partly {
            by: "rlimits".to_owned(),
            lacks: format!(
                "the number of processes, because root's are not counted and {}",
                obstacle.why
            ),
            mend: "run this program as an ordinary user, or where it may make control groups"
                .to_owned(),
        },
        (Err(_), Mechanism::Reduced) => {
            enforced("rlimits, counted with the user's other processes")
        }
        (Err(_), Mechanism::Namespaces | Mechanism::Bubblewrap { .. }) => {
            enforced("rlimits, processes counted in the user namespace")
        }
    }
}

fn enforced_unless_missing(support: &Support, layer: Layer, by: &str) -> LayerStatus {
    match support.obstacle(layer).cloned() {
        None => enforced(by),
        Some(Obstacle { why, mend }) => LayerStatus::No { why, mend },
    }
}

fn enforced(by: impl Into<String>) -> LayerStatus {
    LayerStatus::Yes { by: by.into() }
}
