//! Drafts: skills that a model created or fetched, which are not in use until a person accepts them.

use std::path::PathBuf;

use helve_results::Redactor;
use helve_skill_format::Profile;
use helve_storage::file_lock::FileLock;
use sha2::{Digest as _, Sha256};

use crate::candidate::{CandidateRules, SkillCandidate};
use crate::error::InstallError;
use crate::fetch::{FetchedSkills, Revision};
use crate::installer::{InstallOptions, PlannedInstall, SkillInstaller};
use crate::lock::{CREATED, LockFile, LockedSkill};
use crate::tree::{SKILL_MD, SkillTree};

/// The greatest number of drafts of a project.
const MAX_DRAFTS: usize = 50;

/// A file of a skill that is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DraftFile {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) executable: bool,
}

impl SkillInstaller {
    /// Reads the drafts of the root. Blocks on file access.
    ///
    /// # Errors
    /// When the file of the drafts cannot be read.
    pub fn drafts(&self) -> Result<LockFile, InstallError> {
        LockFile::read(&self.drafts_path())
    }

    /// The file is in the folder of data, since a project must not have drafts of its own.
    fn drafts_path(&self) -> PathBuf {
        let root = self.root().to_string_lossy();
        let digest = Sha256::digest(root.as_bytes());
        let name = helve_core::support::hex::encode(&digest[..16]);
        self.data().join("drafts").join(format!("{name}.toml"))
    }

    /// Checks the files of a skill that a model wrote, and keeps them as a draft.
    pub(crate) fn draft_new(
        &self,
        name: &str,
        manifest: &str,
        files: &[DraftFile],
        options: &InstallOptions,
    ) -> Result<PlannedInstall, InstallError> {
        let texts = files.iter().map(|file| (&*file.path, &*file.text));
        let redactor = Redactor::new();
        for (path, text) in texts.chain([(SKILL_MD, manifest)]) {
            if let Some(found) = redactor.find(text).first() {
                let reason = format!(
                    "it contains a secret ({}); write where it is found instead",
                    found.label
                );
                let path = crate::error::shown(path);
                return Err(InstallError::refused(format!("the file `{path}`"), reason));
            }
        }
        let mut tree = SkillTree::default();
        tree.insert(SKILL_MD, manifest.as_bytes().to_vec(), false)?;
        for file in files {
            tree.insert(&file.path, file.text.as_bytes().to_vec(), file.executable)?;
        }
        let rules = CandidateRules {
            profile: Profile::Spec,
            allows_unicode_names: true,
        };
        let skill = SkillCandidate::new(tree, name, rules)?;
        let fetched = FetchedSkills::created(skill);
        self.draft_fetched(&fetched, options)?
            .pop()
            .ok_or_else(|| InstallError::NoSkills {
                place: "the draft".to_owned(),
            })
    }

    /// Keeps fetched skills as drafts. Nothing of the skills in use changes.
    pub(crate) fn draft_fetched(
        &self,
        fetched: &FetchedSkills,
        options: &InstallOptions,
    ) -> Result<Vec<PlannedInstall>, InstallError> {
        let plans = self.plan(fetched, options)?;
        let path = self.drafts_path();
        let _lock = FileLock::lock_parent_of(&path).map_err(InstallError::io("lock", &path))?;
        let mut drafts = self.drafts()?;
        for plan in &plans {
            self.store().put(&plan.skill.name, &plan.skill.tree)?;
            drafts.insert(plan.entry.clone());
        }
        if drafts.skills().len() > MAX_DRAFTS {
            let reason = format!("there are {MAX_DRAFTS} drafts; accept or remove some of them");
            return Err(InstallError::refused("the draft", reason));
        }
        drafts.write()?;
        Ok(plans)
    }

    /// Plans the installation of a draft, for a person who accepts it. Blocks on file access.
    ///
    /// # Errors
    /// When there is no such draft, or as [`plan`](Self::plan).
    pub fn plan_draft(
        &self,
        name: &str,
        options: &InstallOptions,
    ) -> Result<PlannedInstall, InstallError> {
        let drafts = self.drafts()?;
        let draft = drafts.find(name)?;
        let skill = self.installed_candidate(draft).ok_or_else(|| {
            InstallError::refused(
                format!("the draft `{name}`"),
                "its files are no longer in the store",
            )
        })?;
        let fetched = FetchedSkills::of_draft(skill, draft);
        let mut plans = self.plan(&fetched, options)?;
        plans.pop().ok_or_else(|| InstallError::NoSkills {
            place: "the draft".to_owned(),
        })
    }

    /// Removes a draft, and returns whether there was one. Blocks on file access.
    ///
    /// # Errors
    /// When the file of the drafts cannot be read or written.
    pub fn remove_draft(&self, name: &str) -> Result<bool, InstallError> {
        let path = self.drafts_path();
        let _lock = FileLock::lock_parent_of(&path).map_err(InstallError::io("lock", &path))?;
        let mut drafts = self.drafts()?;
        let is_there = drafts.get(name).is_some();
        if is_there {
            drafts.remove(name);
            drafts.write()?;
        }
        Ok(is_there)
    }
}

impl FetchedSkills {
    fn created(skill: SkillCandidate) -> Self {
        Self::from_text(CREATED, skill, Revision::default())
    }

    fn of_draft(skill: SkillCandidate, draft: &LockedSkill) -> Self {
        let revision = Revision {
            commit: draft.commit.clone(),
            tag: draft.tag.clone(),
            sha256: draft.sha256.clone(),
        };
        let mut skill = skill;
        skill.folder.clone_from(&draft.folder);
        Self::from_text(&draft.source, skill, revision)
    }
}
