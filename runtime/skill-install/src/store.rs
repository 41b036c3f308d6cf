//! The store: every version of every installed skill, below its digest, so that an earlier one can be restored.

use std::path::{Path, PathBuf};

use helve_skill::SkillDigest;

use crate::error::InstallError;
use crate::tree::SkillTree;

/// A folder with one folder a version.
#[derive(Debug, Clone)]
pub(crate) struct SkillStore {
    folder: PathBuf,
}

impl SkillStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Stores a version, whole or not at all.
    #[cfg(unix)]
    pub(crate) fn put(&self, name: &str, tree: &SkillTree) -> Result<(), InstallError> {
        use std::borrow::Cow;

        use helve_skill::{ProjectedFile, SkillProjection};

        let files = tree.files().map(|(path, file)| ProjectedFile {
            path: Cow::Borrowed(path),
            bytes: Cow::Borrowed(&file.bytes),
            sha256: file.sha256,
            executable: file.executable,
        });
        let files: Vec<_> = files.collect();
        let projected = SkillProjection::new(&self.folder).project(name, &files);
        let failed = |error| InstallError::InvalidFile {
            path: self.folder.clone(),
            reason: helve_core::tool::chain_text(&error),
        };
        projected.map(drop).map_err(failed)
    }

    #[cfg(not(unix))]
    pub(crate) fn put(&self, _: &str, _: &SkillTree) -> Result<(), InstallError> {
        let reason = "skills are installed on Unix systems alone";
        Err(InstallError::Unavailable(reason.to_owned()))
    }

    /// Returns a version, if it is there and complete.
    pub(crate) fn get(&self, name: &str, digest: &SkillDigest) -> Option<SkillTree> {
        let folder = self.path(name, digest);
        let tree = SkillTree::read_folder(&folder).ok()?;
        (tree.digest(name) == *digest).then_some(tree)
    }

    fn path(&self, name: &str, digest: &SkillDigest) -> PathBuf {
        Path::new(&self.folder).join(digest.to_string()).join(name)
    }
}
