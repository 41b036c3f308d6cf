//! The files that a folder search does not open: a call must name their paths, and then needs approval.

use std::path::Path;

use helve::ToolContext;
use helve::permission::DangerousPaths;
use helve::sandbox::FileKind;
use helve::tool::FileAccess;

use crate::permission::glob_access;

/// The dangerous paths that a search skips; empty if the call has named one, because that was approved.
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

    /// Returns a filter that skips nothing, for a search of names only.
    pub(crate) fn none() -> Self {
        Self(DangerousPaths::empty())
    }

    /// Reports whether a file or a folder is skipped; symbolic links are not followed in any case.
    pub(crate) fn holds(&self, path: &Path, kind: FileKind) -> bool {
        matches!(kind, FileKind::File | FileKind::Directory)
            && self.0.find(&path.to_string_lossy()).is_some()
    }
}
