//! Compares the installed skills with the lock file, and scans them again.

use std::path::PathBuf;

use helve_skill::scan::ScanFinding;
use helve_skill_format::Profile;

use super::base::SkillInstaller;
use crate::candidate::{CandidateRules, SkillCandidate};
use crate::error::InstallError;
use crate::lock::LockedSkill;
use crate::tree::SkillTree;

/// How the files of a skill compare with the lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillState {
    /// The files are those that were installed.
    Unchanged,
    /// The files differ; the changes in words.
    Changed(String),
    /// The folder is missing.
    Missing,
    /// The folder was not installed by this program.
    Unlocked,
}

/// The check of one skill.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillCheck {
    /// The name of the skill's folder.
    pub name: String,
    /// How its files compare with the lock file.
    pub state: SkillState,
    /// The entry of the lock file, if there is one.
    pub locked: Option<LockedSkill>,
    /// The scan findings of the files that are there.
    pub findings: Vec<ScanFinding>,
    /// Why the files are no skill, if they are not.
    pub problem: Option<String>,
}

impl SkillCheck {
    /// Returns whether the files are those that were installed.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.state == SkillState::Unchanged
    }
}

impl SkillInstaller {
    /// Checks the skills with these names; all that are there and in the lock file if there are none.
    ///
    /// # Errors
    /// When the lock file or the folder cannot be read, or a name is not installed.
    pub fn check(&self, names: &[String]) -> Result<Vec<SkillCheck>, InstallError> {
        let lock = self.lock_file()?;
        let mut wanted: Vec<String> = names.to_vec();
        if names.is_empty() {
            wanted = lock
                .skills()
                .iter()
                .map(|skill| skill.name.clone())
                .collect();
            wanted.extend(self.folders()?);
            wanted.sort();
            wanted.dedup();
        } else {
            for name in names {
                lock.find(name)?;
            }
        }
        Ok(wanted
            .iter()
            .map(|name| self.check_one(name, lock.get(name)))
            .collect())
    }

    fn check_one(&self, name: &str, locked: Option<&LockedSkill>) -> SkillCheck {
        let folder = self.skills_folder().join(name);
        let mut check = SkillCheck {
            name: name.to_owned(),
            state: SkillState::Unlocked,
            locked: locked.cloned(),
            findings: Vec::new(),
            problem: None,
        };
        match locked {
            Some(_) if std::fs::symlink_metadata(&folder).is_err() => {
                check.state = SkillState::Missing
            }
            Some(locked) => {
                check.state = match self.check_unchanged(locked) {
                    Ok(()) => SkillState::Unchanged,
                    Err(InstallError::Changed { changes, .. }) => SkillState::Changed(changes),
                    Err(error) => SkillState::Changed(error.to_string()),
                }
            }
            None => {}
        }
        if check.state != SkillState::Missing {
            let rules = CandidateRules {
                profile: Profile::Lenient,
                allows_unicode_names: true,
            };
            let read = SkillTree::read_folder(&folder);
            match read.and_then(|tree| SkillCandidate::new(tree, name, rules)) {
                Ok(skill) => check.findings = skill.findings,
                Err(error) => check.problem = Some(error.to_string()),
            }
        }
        check
    }

    /// Lists the folders of skills that are there.
    fn folders(&self) -> Result<Vec<String>, InstallError> {
        let folder: PathBuf = self.skills_folder();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(InstallError::io("read", &folder)(error)),
        };
        let names = entries.take(10_000).flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_skill = entry.path().join(crate::tree::SKILL_MD).is_file();
            (is_skill && !name.starts_with('.')).then_some(name)
        });
        Ok(names.collect())
    }
}
