//! What a search of a folder does not open: the places that a call has to name, which then needs approval.

use std::path::Path;

use helve::ToolContext;
use helve::permission::DangerousPaths;
use helve::sandbox::FileKind;
use helve::tool::FileAccess;

use crate::permission::glob_access;

/// The dangerous paths that a search passes over; none where the call named one, since that was asked about.
pub(crate) struct DangerousFileFilter(DangerousPaths);

impl DangerousFileFilter {
    pub(crate) fn new(
        dangerous: Option<&DangerousPaths>,
        path: &str,
        glob: Option<&str>,
        cx: &ToolContext,
    ) -> Self {
        let dangerous = dangerous.cloned().unwrap_or_default();
        let mut named = [Some(FileAccess::read(path)), glob_access(path, glob)]
            .into_iter()
            .flatten();
        if named.any(|touch| dangerous.find_accessed(&touch, cx).is_some()) {
            return Self(DangerousPaths::empty());
        }
        Self(dangerous)
    }

    /// Nothing is passed over, for a search of names only.
    pub(crate) fn none() -> Self {
        Self(DangerousPaths::empty())
    }

    /// Reports whether a file or a folder stays shut; a link is not followed anyway.
    pub(crate) fn holds(&self, path: &Path, kind: FileKind) -> bool {
        matches!(kind, FileKind::File | FileKind::Directory)
            && self.0.find(&path.to_string_lossy()).is_some()
    }
}
