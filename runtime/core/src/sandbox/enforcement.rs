//! The truth about a sandbox: which of its layers hold.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that a sandbox keeps a command from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// It sees the workspace and chosen folders of the system, and no other file.
    Files,
    /// It cannot change what would later run outside: hooks, start files, settings of editors and agents.
    ProtectedPaths,
    /// It cannot read the secrets inside the workspace.
    MaskedPaths,
    /// It sees and reaches no process outside.
    Processes,
    /// It reaches the network as far as the policy says.
    Network,
    /// The command has no capabilities, cannot gain any, and maps to an unprivileged user outside of the sandbox.
    Privileges,
    /// The command cannot make rarely used system calls.
    SystemCalls,
    /// A second lock on files, in the kernel itself, whatever becomes of the mounts.
    Landlock,
    /// It sees only the variables that are allowed.
    Environment,
    /// The command inherits no file descriptor but its standard streams.
    Descriptors,
    /// It cannot use more of the machine than it may.
    Limits,
    /// It ends with its session.
    Lifetime,
}

impl Layer {
    /// All layers, in the order in which they are shown.
    pub const ALL: [Self; 12] = [
        Self::Files,
        Self::ProtectedPaths,
        Self::MaskedPaths,
        Self::Processes,
        Self::Network,
        Self::Privileges,
        Self::SystemCalls,
        Self::Landlock,
        Self::Environment,
        Self::Descriptors,
        Self::Limits,
        Self::Lifetime,
    ];

    /// Returns the name by which it is accepted as missing.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::ProtectedPaths => "protected_paths",
            Self::MaskedPaths => "masked_paths",
            Self::Processes => "processes",
            Self::Network => "network",
            Self::Privileges => "privileges",
            Self::SystemCalls => "system_calls",
            Self::Landlock => "landlock",
            Self::Environment => "environment",
            Self::Descriptors => "descriptors",
            Self::Limits => "limits",
            Self::Lifetime => "lifetime",
        }
    }

    /// Looks up a layer by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a layer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerStatus {
    /// It holds, by these means.
    Yes {
        /// Such as `mount namespace, pivot_root`.
        by: String,
    },
    /// It holds in part.
    Partly {
        /// What holds.
        by: String,
        /// What does not.
        lacks: String,
        /// How to fix it.
        mend: String,
    },
    /// It does not hold.
    No {
        /// Why not.
        why: String,
        /// How to fix it.
        mend: String,
    },
}

/// What a sandbox enforces, layer by layer. A layer that is not named here does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Enforcement {
    /// What enforces: `namespaces`, `bubblewrap`, `landlock`, `container`, `ssh`, `passthrough`.
    pub mechanism: String,
    /// What holds.
    pub layers: BTreeMap<Layer, LayerStatus>,
    /// What becomes of files at protected paths that were not there when the sandbox was opened: nothing can cover them
    /// before. `None` where nothing looks for them.
    #[serde(default)]
    pub new_paths: Option<NewPaths>,
}

/// How it is found out that something appeared at a protected path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewPaths {
    /// Commands are staged: it never appears, because what a command changed is judged before it is applied.
    Staged,
    /// The folders are watched: all commands are stopped until it is moved away, and the commands that may have made it are
    /// ended. The kernel does not enforce it: for a moment, it is there.
    Watched,
    /// The folders are looked through from time to time and when a command ends. Until then, it is there.
    Swept {
        /// Why they are not watched.
        why: String,
    },
}

impl fmt::Display for NewPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Staged => f.write_str(
                "staged: the changes of a command are checked before they are applied; none is applied if one of them is at a \
                 protected path",
            ),
            Self::Watched => f.write_str(
                "watched, not enforced: a new file at a protected path is moved away and its command is killed",
            ),
            Self::Swept { why } => write!(
                f,
                "swept, not enforced: a new file at a protected path is moved away when the command ends, because {why}"
            ),
        }
    }
}

impl Enforcement {
    /// Starts a table in which nothing holds.
    pub fn new(mechanism: impl Into<String>) -> Self {
        Self {
            mechanism: mechanism.into(),
            layers: BTreeMap::new(),
            new_paths: None,
        }
    }

    /// Sets the status of a layer.
    #[must_use]
    pub fn with(mut self, layer: Layer, holds: LayerStatus) -> Self {
        self.layers.insert(layer, holds);
        self
    }

    /// Returns the layers that do not hold in full, in their order.
    #[must_use]
    pub fn missing(&self) -> Vec<Layer> {
        let whole = |layer: &Layer| matches!(self.layers.get(layer), Some(LayerStatus::Yes { .. }));
        let layers = Layer::ALL.into_iter();
        layers.filter(|layer| !whole(layer)).collect()
    }
}
