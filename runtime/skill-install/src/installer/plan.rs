//! Plans an installation: what would be installed, and what the user reads before.

use super::base::SkillInstaller;
use crate::candidate::{CandidateRules, SkillCandidate};
use crate::error::{InstallError, shown};
use crate::fetch::{FetchedSkills, Revision};
use crate::lock::LockedSkill;
use crate::review::{InstalledVersion, SkillReview};
use crate::tree::SkillTree;
use helve_skill_format::Profile;
use helve_storage::timestamp::Timestamp;

/// What a user allows beforehand.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct InstallOptions {
    /// Whether a folder that was not installed here, or was changed, is replaced.
    pub force: bool,
    /// The names of the skills that the program has, which no installed skill may take.
    pub reserved: Vec<String>,
    /// Whether a name may differ from another one by one character.
    pub allow_similar: bool,
}

/// A skill that can be installed once its review was accepted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PlannedInstall {
    /// The skill.
    pub skill: SkillCandidate,
    /// What the user reads.
    pub review: SkillReview,
    /// The entry of the lock file that it would have.
    pub entry: LockedSkill,
    /// The entry of the lock file that it was compared with.
    pub(super) before: Option<LockedSkill>,
    pub(super) options: InstallOptions,
}

impl SkillInstaller {
    /// Plans the installation of the skills of a source.
    ///
    /// # Errors
    /// When a name is taken or looks like another one, a folder is in the way, or a tag has moved.
    pub fn plan(
        &self,
        fetched: &FetchedSkills,
        options: &InstallOptions,
    ) -> Result<Vec<PlannedInstall>, InstallError> {
        let source = fetched.source.to_string();
        let plans = fetched.skills.iter().map(|skill| {
            let lock = self.lock_file()?;
            let before = lock.get(&skill.name);
            self.check_name(skill, &source, options)?;
            if let Some(before) = before.filter(|before| before.source == source) {
                return self.plan_version(skill, &fetched.revision, before, options);
            }
            let review =
                SkillReview::of_new(skill, &source, &fetched.revision, self.acceptances())?;
            self.check_folder(skill, &source, before, options)?;
            let entry = self
                .entry(skill, &source, &fetched.revision)
                .replacing(before);
            Ok(PlannedInstall {
                skill: skill.clone(),
                review,
                entry,
                before: before.cloned(),
                options: options.clone(),
            })
        });
        plans.collect()
    }

    /// Plans the replacement of an installed skill by another version; `None` if it is the installed one.
    ///
    /// # Errors
    /// When the source no longer has the skill, the tag has moved, or the installed files were changed.
    pub fn plan_update(
        &self,
        fetched: &FetchedSkills,
        before: &LockedSkill,
        options: &InstallOptions,
    ) -> Result<Option<PlannedInstall>, InstallError> {
        let skill = fetched
            .skills
            .iter()
            .find(|skill| skill.name == before.name);
        let skill = skill.ok_or_else(|| InstallError::Unknown {
            name: before.name.clone(),
            place: "in the source any more",
            known: fetched
                .skills
                .iter()
                .map(|skill| skill.name.clone())
                .collect(),
        })?;
        let is_same = before.digest() == Some(skill.digest());
        check_tag(&fetched.revision, before)?;
        if is_same {
            return Ok(None);
        }
        self.plan_version(skill, &fetched.revision, before, options)
            .map(Some)
    }

    /// Returns whether a plan changes nothing: this version is installed, and the user has accepted it.
    #[must_use]
    pub fn is_installed(&self, plan: &PlannedInstall) -> bool {
        let before = plan.before.as_ref();
        let is_same = before.is_some_and(|before| {
            (&before.source, &before.digest) == (&plan.entry.source, &plan.entry.digest)
        });
        is_same
            && plan.review.reasons.is_empty()
            && self.skills_folder().join(&plan.skill.name).is_dir()
    }

    fn plan_version(
        &self,
        skill: &SkillCandidate,
        revision: &Revision,
        before: &LockedSkill,
        options: &InstallOptions,
    ) -> Result<PlannedInstall, InstallError> {
        check_tag(revision, before)?;
        self.check_folder(skill, &before.source, Some(before), options)?;
        let old = self.installed_candidate(before);
        let version = InstalledVersion {
            locked: before,
            old: old.as_ref(),
        };
        let review = SkillReview::of_update(skill, revision, &version, self.acceptances())?;
        let entry = self
            .entry(skill, &before.source, revision)
            .replacing(Some(before));
        Ok(PlannedInstall {
            skill: skill.clone(),
            review,
            entry,
            before: Some(before.clone()),
            options: options.clone(),
        })
    }

    /// Returns the version of the lock file as a skill, from the store or from its folder.
    pub(crate) fn installed_candidate(&self, locked: &LockedSkill) -> Option<SkillCandidate> {
        let digest = locked.digest()?;
        let stored = self.store.get(&locked.name, &digest);
        let tree = stored.or_else(|| {
            let tree = SkillTree::read_folder(&self.skills_folder().join(&locked.name)).ok()?;
            (tree.digest(&locked.name) == digest).then_some(tree)
        })?;
        let rules = CandidateRules {
            profile: Profile::Lenient,
            allows_unicode_names: true,
        };
        SkillCandidate::new(tree, &locked.name, rules).ok()
    }

    fn entry(&self, skill: &SkillCandidate, source: &str, revision: &Revision) -> LockedSkill {
        LockedSkill {
            name: skill.name.clone(),
            source: source.to_owned(),
            folder: skill.folder.clone(),
            commit: revision.commit.clone(),
            tag: revision.tag.clone(),
            sha256: revision.sha256.clone(),
            digest: format!("sha256:{}", skill.digest()),
            files: skill.tree.len(),
            size: skill.tree.size(),
            license: skill.license().map(shown),
            findings: skill.findings.len(),
            installed_by: self.user.clone(),
            installed_at: Timestamp::now(),
            previous: Vec::new(),
        }
    }

    /// Refuses names that are taken, and those that look like another one.
    fn check_name(
        &self,
        skill: &SkillCandidate,
        source: &str,
        options: &InstallOptions,
    ) -> Result<(), InstallError> {
        let name = &skill.name;
        let subject = || format!("the skill `{}`", shown(name));
        if options.reserved.contains(name) {
            return Err(InstallError::refused(
                subject(),
                "the program has a skill of this name, which is used instead",
            ));
        }
        if options.allow_similar {
            return Ok(());
        }
        let lock = self.lock_file()?;
        let others = lock.skills().iter().filter(|other| other.source != source);
        let others = others.map(|other| &other.name).chain(&options.reserved);
        match others
            .into_iter()
            .find(|other| *other != name && is_similar(name, other))
        {
            Some(other) => Err(InstallError::refused(
                subject(),
                format!(
                    "its name looks like `{other}`, which comes from elsewhere\nhelp: use `--allow-similar` if it is meant"
                ),
            )),
            None => Ok(()),
        }
    }

    /// Refuses to replace files that were changed by hand, and a folder that was not installed here, or from another source.
    /// One with the same files is taken over.
    pub(super) fn check_folder(
        &self,
        skill: &SkillCandidate,
        source: &str,
        before: Option<&LockedSkill>,
        options: &InstallOptions,
    ) -> Result<(), InstallError> {
        if let Some(before) = before.filter(|before| before.source == source && !options.force) {
            return self.check_unchanged(before);
        }
        let folder = self.skills_folder().join(&skill.name);
        if options.force || std::fs::symlink_metadata(&folder).is_err() {
            return Ok(());
        }
        let there = SkillTree::read_folder(&folder).ok();
        if before.is_none() && there.is_some_and(|tree| tree.digest(&skill.name) == skill.digest())
        {
            return Ok(());
        }
        Err(InstallError::Exists(folder))
    }

    /// Refuses to replace files that were changed by hand.
    pub(super) fn check_unchanged(&self, locked: &LockedSkill) -> Result<(), InstallError> {
        let folder = self.skills_folder().join(&locked.name);
        if std::fs::symlink_metadata(&folder).is_err() {
            return Ok(());
        }
        let changed = |changes: String| InstallError::Changed {
            name: locked.name.clone(),
            changes,
        };
        let tree = SkillTree::read_folder(&folder).map_err(|error| changed(error.to_string()))?;
        let digest = locked.digest();
        if digest == Some(tree.digest(&locked.name)) {
            return Ok(());
        }
        let before = digest.and_then(|digest| self.store.get(&locked.name, &digest));
        let changes = before.and_then(|before| tree.describe_changes(&before));
        Err(changed(
            changes.unwrap_or_else(|| "their digest differs".to_owned()),
        ))
    }
}

/// Refuses a tag that names another commit than it did, also where it is a branch now.
fn check_tag(revision: &Revision, before: &LockedSkill) -> Result<(), InstallError> {
    let (Some(tag), Some(was), Some(now)) = (&before.tag, &before.commit, &revision.commit) else {
        return Ok(());
    };
    if was == now {
        return Ok(());
    }
    Err(InstallError::refused(
        format!("the tag `{}` of `{}`", shown(tag), shown(&before.source)),
        format!(
            "it moved from the commit {was} to {now}, which a tag must not\nhelp: remove the skill and add it again if you trust the new commit"
        ),
    ))
}

/// Returns whether two names differ by one character, or by their hyphens alone.
fn is_similar(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.replace('-', "");
    let is_long = one.chars().count().min(other.chars().count()) > 2;
    plain(one) == plain(other) || is_long && strsim::osa_distance(one, other) <= 1
}
