//! Projects skills to folders of this machine, so that their scripts can be run.
//!
//! A skill is stored at `<cache>/<digest>/<skill>/`, read-only. The files are written to a staging
//! folder, which its writer has locked, and the folder is renamed when it is complete: a reader never
//! sees a part of a skill, and several versions can exist at once. An existing folder is verified
//! before each use.

mod cache;
mod error;
mod staging;
mod tree;
mod verify;

use std::path::{Path, PathBuf};

use super::digest::{DigestInput, SkillDigest};
use cache::Cache;
use tree::Tree;

pub use error::ProjectionError;
pub use staging::remove_projected;
pub use tree::ProjectedFile;

/// A cache folder in which skills are projected to files, with one folder for each version of each
/// skill.
///
/// Many processes may use one cache concurrently.
#[derive(Debug, Clone)]
pub struct SkillProjection {
    cache: PathBuf,
}

impl SkillProjection {
    /// Uses a cache folder, which is created for this user only when the first skill is projected.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        Self {
            cache: cache.into(),
        }
    }

    /// Uses the default folder of the user: `helve/skills` in `$XDG_CACHE_HOME`, or in `~/.cache` if
    /// the variable is not set.
    ///
    /// # Errors
    ///
    /// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path.
    pub fn for_user() -> Result<Self, ProjectionError> {
        cache::user_cache_folder().map(Self::new)
    }

    /// Returns the cache folder.
    #[must_use]
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Projects a skill, unless it is projected already, and returns its folder. Files have the mode
    /// 0444, or 0555 if they are executable; folders have 0555.
    ///
    /// A folder with unexpected contents is moved aside, not removed, because another process may be
    /// reading it. The method blocks.
    ///
    /// # Errors
    ///
    /// If the name or a path is not valid for a file, if the contents do not match their digest, or if
    /// the folder cannot be written. No part of the skill is visible at its path then.
    pub fn project(
        &self,
        name: &str,
        files: &[ProjectedFile<'_>],
    ) -> Result<PathBuf, ProjectionError> {
        let tree = Tree::new(name, files)?;
        let digest = digest(name, files).to_string();
        let at = self.cache.join(&digest);
        // Checked before opening the cache, because a cache that cannot be written may contain the
        // skill.
        if verify::is_projected(&self.cache, &at, &tree) {
            return Ok(at.join(name));
        }
        let cache = Cache::open(&self.cache)?;
        staging::sweep(&cache);
        let staged = staging::StagingFolder::new(&cache)?;
        tree.write(&staged.path)?;
        staged.publish(&cache, &at, &tree)?;
        Ok(at.join(name))
    }
}

fn digest(name: &str, files: &[ProjectedFile<'_>]) -> SkillDigest {
    let files = files.iter().map(|file| DigestInput {
        path: &file.path,
        executable: file.executable,
        sha256: &file.sha256,
    });
    SkillDigest::compute(name, files)
}
