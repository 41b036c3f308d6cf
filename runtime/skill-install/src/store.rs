//! The store: every version of every installed skill, below its digest, so that an earlier one can be restored.

use std::path::{Path, PathBuf};

use helve_skill::SkillDigest;
#[cfg(unix)]
use helve_skill::remove_projected;
#[cfg(not(unix))]
use std::fs::remove_dir_all as remove_projected;

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
        // What was added to a version since it was stored could run, wherever it is.
        let tree = SkillTree::read_without(&folder, &[]).ok()?;
        (tree.digest(name) == *digest).then_some(tree)
    }

    /// Removes the versions of a name but those with these digests.
    pub(crate) fn remove_all_but(&self, name: &str, kept: &[&str]) -> Result<(), InstallError> {
        let failed = InstallError::io("read", &self.folder);
        let versions = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            versions => versions.map_err(failed)?,
        };
        for version in versions {
            let version = version.map_err(InstallError::io("read", &self.folder))?;
            let is_kept = version
                .file_name()
                .to_str()
                .is_some_and(|of| kept.contains(&of));
            let path = version.path();
            if !is_kept && path.join(name).is_dir() {
                remove_projected(&path).map_err(InstallError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    fn path(&self, name: &str, digest: &SkillDigest) -> PathBuf {
        Path::new(&self.folder).join(digest.to_string()).join(name)
    }
}
