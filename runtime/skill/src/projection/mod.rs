//! Skills as folders of this machine, for scripts to be run from.
//!
//! A skill lies at `<cache>/<digest>/<skill>/`, read-only. It is written beside, in a folder that its writer has
//! locked, and renamed into place whole: a reader that finds a folder of that name finds all of it, and versions lie
//! side by side. What is there is verified each time before it is used.

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
pub use tree::ProjectedFile;

/// A folder in which skills are laid out as files, one folder for each version of each skill.
///
/// Many processes may use one folder at once.
#[derive(Debug, Clone)]
pub struct SkillProjection {
    cache: PathBuf,
}

impl SkillProjection {
    /// Uses a folder, which is made for this user alone when the first skill is projected.
    pub fn new(cache: impl Into<PathBuf>) -> Self {
        Self {
            cache: cache.into(),
        }
    }

    /// Uses the user's own folder: `helve/skills` in `$XDG_CACHE_HOME`, or in `~/.cache` without it.
    ///
    /// # Errors
    ///
    /// If neither variable names an absolute folder.
    pub fn for_user() -> Result<Self, ProjectionError> {
        cache::user_cache_folder().map(Self::new)
    }

    /// Returns the folder.
    #[must_use]
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Lays a skill out, unless it lies there already, and gives its folder: files are 0444, or 0555 where they can be
    /// run, folders 0555.
    ///
    /// A folder with unexpected contents is moved aside, not removed, because another process may be reading it. It
    /// blocks.
    ///
    /// # Errors
    ///
    /// If the name or a path cannot be that of a file, the contents do not have their digest, or the folder cannot be
    /// written. No part of the skill is then at its place.
    pub fn project(
        &self,
        name: &str,
        files: &[ProjectedFile<'_>],
    ) -> Result<PathBuf, ProjectionError> {
        let tree = Tree::new(name, files)?;
        let digest = digest(name, files).to_string();
        let at = self.cache.join(&digest);
        // A place that cannot be written may hold what is wanted, so that this comes first.
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
