//! The isolation primitives of the kernel.

use serde::{Deserialize, Serialize};

use crate::sandbox::Layer;

/// A primitive that is tried in a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Primitive {
    /// A user namespace with mapped IDs.
    UserNamespace,
    MountNamespace,
    NetworkNamespace,
    IpcNamespace,
    UtsNamespace,
    CgroupNamespace,
    PidNamespace,
    Tmpfs,
    Proc,
    /// A recursively read-only copy of a mount tree.
    MountAttributes,
    PivotRoot,
    /// Landlock, at least its first version.
    Landlock,
    Seccomp,
    /// Marking a range of descriptors close-on-exec.
    CloseRange,
    /// Dropping capabilities.
    Capabilities,
    Limits,
}

impl Primitive {
    /// All primitives, in the order in which they are tried and declared. The sandbox creates its namespaces and its
    /// root with the primitives up to [`PivotRoot`](Self::PivotRoot).
    pub(super) const ALL: [Self; 16] = [
        Self::UserNamespace,
        Self::MountNamespace,
        Self::NetworkNamespace,
        Self::IpcNamespace,
        Self::UtsNamespace,
        Self::CgroupNamespace,
        Self::PidNamespace,
        Self::Tmpfs,
        Self::Proc,
        Self::MountAttributes,
        Self::PivotRoot,
        Self::Landlock,
        Self::Seccomp,
        Self::CloseRange,
        Self::Capabilities,
        Self::Limits,
    ];

    /// Returns the layers that do not hold without the primitive.
    pub(super) fn layers(self) -> &'static [Layer] {
        use Layer::{
            Descriptors, Files, Landlock, Lifetime, Limits, MaskedPaths, Network, Privileges,
            Processes, ProtectedPaths, SystemCalls,
        };
        match self {
            Self::UserNamespace => &[
                Files,
                ProtectedPaths,
                MaskedPaths,
                Processes,
                Network,
                Privileges,
                Lifetime,
            ],
            Self::MountNamespace | Self::MountAttributes => &[Files, ProtectedPaths, MaskedPaths],
            Self::Tmpfs | Self::PivotRoot => &[Files],
            Self::NetworkNamespace => &[Network],
            Self::PidNamespace => &[Processes, Lifetime],
            Self::IpcNamespace | Self::UtsNamespace | Self::CgroupNamespace | Self::Proc => {
                &[Processes]
            }
            Self::Landlock => &[Landlock],
            Self::Seccomp => &[SystemCalls],
            Self::CloseRange => &[Descriptors],
            Self::Capabilities => &[Privileges],
            Self::Limits => &[Limits],
        }
    }

    /// Returns a description of the missing primitive.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::UserNamespace => "a user namespace",
            Self::MountNamespace => "a mount namespace",
            Self::NetworkNamespace => "a network namespace",
            Self::IpcNamespace => "an ipc namespace",
            Self::UtsNamespace => "a uts namespace",
            Self::CgroupNamespace => "a cgroup namespace",
            Self::PidNamespace => "a pid namespace",
            Self::Tmpfs => "a tmpfs of its own",
            Self::Proc => "a /proc of its own",
            Self::MountAttributes => "read-only mounts (open_tree, mount_setattr)",
            Self::PivotRoot => "another root (pivot_root)",
            Self::Landlock => "Landlock",
            Self::Seccomp => "a system call filter (seccomp)",
            Self::CloseRange => "close_range with CLOSE_RANGE_CLOEXEC",
            Self::Capabilities => "giving up capabilities (capset)",
            Self::Limits => "limits of a process (prlimit64)",
        }
    }
}
