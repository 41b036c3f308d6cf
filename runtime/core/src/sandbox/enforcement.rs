//! The enforcement of a sandbox, by layers.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A layer of a sandbox: one restriction on commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The command sees only the workspace and selected folders of the system.
    Files,
    /// The command cannot change files that would later be executed outside of the sandbox: hooks, startup files,
    /// settings of editors and agents.
    ProtectedPaths,
    /// The command cannot read the secrets inside the workspace.
    MaskedPaths,
    /// The command cannot see or reach processes outside of the sandbox.
    Processes,
    /// The command reaches the network only as the policy allows.
    Network,
    /// The command has no capabilities, cannot gain any, and maps to an unprivileged user outside of the sandbox.
    Privileges,
    /// The command cannot make rarely used system calls.
    SystemCalls,
    /// A second restriction on files, enforced by the kernel independently of the mounts.
    Landlock,
    /// The command sees only the allowed environment variables.
    Environment,
    /// The command inherits no file descriptor but its standard streams.
    Descriptors,
    /// The command cannot exceed its resource limits.
    Limits,
    /// The command ends with its session.
    Lifetime,
}

impl Layer {
    /// All layers, in display order.
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

    /// Returns the name with which the policy accepts that the layer is missing.
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

/// Whether a layer is enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerStatus {
    /// The layer is enforced.
    Yes {
        /// The mechanism, such as `mount namespace, pivot_root`.
        by: String,
    },
    /// The layer is partly enforced.
    Partly {
        /// The enforced part.
        by: String,
        /// The missing part.
        lacks: String,
        /// How to fix it.
        mend: String,
    },
    /// The layer is not enforced.
    No {
        /// The reason.
        why: String,
        /// How to fix it.
        mend: String,
    },
}

/// The layers that a sandbox enforces. A layer that is not listed is not enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Enforcement {
    /// The mechanism: `namespaces`, `bubblewrap`, `landlock`, `container`, `ssh`, `passthrough`.
    pub mechanism: String,
    /// The status of each layer.
    pub layers: BTreeMap<Layer, LayerStatus>,
    /// The handling of files at protected paths that did not exist when the sandbox was opened, since a nonexistent
    /// path cannot be covered by a mount. `None` if such files are not detected.
    #[serde(default)]
    pub new_paths: Option<NewPaths>,
}

/// How the creation of a file at a protected path is detected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewPaths {
    /// Commands are staged: the file never appears, because the changes of a command are checked before they are
    /// applied.
    Staged,
    /// The folders are watched: all commands are stopped until the file is moved away, and the commands that may have
    /// created it are killed. The kernel does not enforce this: the file exists for a moment.
    Watched,
    /// The folders are scanned periodically and when a command ends. Until then, the file exists.
    Swept {
        /// The reason why the folders are not watched.
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
    /// Creates an enforcement without any enforced layer.
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

    /// Returns the layers that are not fully enforced, in their order.
    #[must_use]
    pub fn missing(&self) -> Vec<Layer> {
        let whole = |layer: &Layer| matches!(self.layers.get(layer), Some(LayerStatus::Yes { .. }));
        let layers = Layer::ALL.into_iter();
        layers.filter(|layer| !whole(layer)).collect()
    }
}
