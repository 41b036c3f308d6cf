//! Changes the installed skills, one at a time: each is as before, or as planned.

use std::fmt;
use std::path::PathBuf;

use helve_core::support::random;
use helve_skill::{NewFile, write_skill};

use super::base::SkillInstaller;
use super::plan::PlannedInstall;
use crate::error::{InstallError, shown};
use crate::fetch::Revision;
use crate::lock::LockedSkill;
use crate::review::SkillReview;
use crate::tree::SkillTree;

/// A skill that was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// The name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// The digest that was there before, if another version was installed.
    pub replaced: Option<String>,
}

/// Writes what was done, as in `installed pdf in /home/me/.agents/skills/pdf`.
impl fmt::Display for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.replaced.is_some() {
            "updated"
        } else {
            "installed"
        };
        write!(f, "{what} {} in {}", self.name, self.folder.display())
    }
}

impl SkillInstaller {
    /// Installs a skill whose review the user has accepted, and records the acceptance.
    ///
    /// # Errors
    /// When the skill was changed since the plan was made, or a file cannot be written. The skill is then as it was before.
    pub fn install(&self, plan: &PlannedInstall) -> Result<Installed, InstallError> {
        let _lock = self.lock()?;
        let mut lock_file = self.lock_file()?;
        let before = lock_file.get(&plan.skill.name);
        if before != plan.before.as_ref() {
            let reason = "it was installed or changed meanwhile; run the command again";
            let name = shown(&plan.skill.name);
            return Err(InstallError::refused(format!("the skill `{name}`"), reason));
        }
        self.check_folder(&plan.skill, &plan.entry.source, before, &plan.options)?;
        let replaced = before.map(|before| before.digest.clone());
        self.store.put(&plan.skill.name, &plan.skill.tree)?;
        self.accept(&plan.review)?;
        let may_replace = plan.options.force || replaced.is_some();
        let folder = self.place(&plan.skill.name, &plan.skill.tree, may_replace)?;
        lock_file.insert(plan.entry.clone());
        lock_file.write()?;
        Ok(Installed {
            name: plan.skill.name.clone(),
            folder,
            replaced,
        })
    }

    /// Removes a skill. Its versions remain in the store.
    ///
    /// # Errors
    /// When the skill was not installed here, its files were changed and `force` is not set, or they cannot be removed.
    pub fn remove(&self, name: &str, force: bool) -> Result<LockedSkill, InstallError> {
        let _lock = self.lock()?;
        let mut lock_file = self.lock_file()?;
        let locked = lock_file.find(name)?.clone();
        if !force {
            self.check_unchanged(&locked)?;
        }
        let folder = self.skills_folder().join(name);
        if std::fs::symlink_metadata(&folder).is_ok() {
            // In one step: a half removed skill would be another skill.
            let aside = self
                .skills_folder()
                .join(format!(".{name}.removed-{}", random::hex::<4>()));
            std::fs::rename(&folder, &aside).map_err(InstallError::io("remove", &folder))?;
            lock_file.remove(name);
            lock_file.write()?;
            std::fs::remove_dir_all(&aside).map_err(InstallError::io("remove", &aside))?;
        } else {
            lock_file.remove(name);
            lock_file.write()?;
        }
        Ok(locked)
    }

    /// Restores the version before the installed one. Restoring again returns to the later one. A version with severe scan
    /// findings has to be accepted again.
    ///
    /// # Errors
    /// When there is no earlier version, the files were changed and `force` is not set, or they cannot be written.
    pub fn roll_back(&self, name: &str, force: bool) -> Result<LockedSkill, InstallError> {
        let _lock = self.lock()?;
        let mut lock_file = self.lock_file()?;
        let locked = lock_file.find(name)?.clone();
        if !force {
            self.check_unchanged(&locked)?;
        }
        let stored = locked.previous.iter().find_map(|digest| {
            let tree = self.store.get(name, &digest.parse().ok()?)?;
            Some((digest.clone(), tree))
        });
        let Some((digest, tree)) = stored else {
            let reason = "the store has no earlier version of it";
            return Err(InstallError::refused(format!("the skill `{name}`"), reason));
        };
        let mut entry = LockedSkill {
            digest: digest.clone(),
            files: tree.len(),
            size: tree.size(),
            // They are those of the version that is replaced.
            commit: None,
            tag: None,
            sha256: None,
            installed_at: helve_storage::timestamp::Timestamp::now(),
            ..locked.clone()
        };
        entry.previous.retain(|known| *known != digest);
        entry.previous.insert(0, locked.digest.clone());
        // The lock file may be that of a project that other people wrote: findings are accepted by the user alone.
        if let Some(skill) = self.installed_candidate(&entry) {
            entry.findings = skill.findings.len();
            let review = SkillReview::of_new(
                &skill,
                &entry.source,
                &Revision::default(),
                self.acceptances(),
            )?;
            if review.severe == 0 {
                self.accept(&review)?;
            }
        }
        self.place(name, &tree, true)?;
        lock_file.insert(entry.clone());
        lock_file.write()?;
        Ok(entry)
    }

    fn accept(&self, review: &SkillReview) -> Result<(), InstallError> {
        let accepted = self.acceptances().accept(&review.difference);
        accepted.map_err(|error| InstallError::Unavailable(helve_core::tool::chain_text(&error)))
    }

    /// Writes the files of a skill into its folder, in one step.
    fn place(&self, name: &str, tree: &SkillTree, replaces: bool) -> Result<PathBuf, InstallError> {
        let skills = self.skills_folder();
        let folder = skills.join(name);
        if !replaces && std::fs::symlink_metadata(&folder).is_ok() {
            // The plan has found the same files there.
            return Ok(folder);
        }
        let files = tree.files().map(|(path, file)| NewFile {
            path: path.to_owned(),
            bytes: file.bytes.clone(),
            executable: file.executable,
        });
        let files: Vec<NewFile> = files.collect();
        let written = write_skill(&skills, name, &files, replaces);
        written.map_err(|error| InstallError::Io {
            action: "write",
            path: folder,
            source: std::io::Error::other(error),
        })
    }
}
