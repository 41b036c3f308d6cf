//! Resolves which of the known skills may be used, and collects the notes about the others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use helve_catalog::{Catalog, Definition, Layer, Location, Reason, Rules, Unused};

use super::{Settings, SkillCatalog};
use crate::error::nearest;
use crate::{Skill, SkillDigest, SkillNote};

/// The reason why a skill cannot be used.
#[derive(Debug, Clone)]
pub(super) enum Rejection {
    /// A scan has severe findings, and the user has not accepted this version.
    Findings(SkillDigest),
    /// The environment does not meet a requirement of the skill.
    Requirement(String),
}

/// The result of resolving the skills of a catalogue under its settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Resolution {
    /// The skills that may be used, sorted by name.
    pub(super) skills: Vec<Skill>,
    /// The skills that are disabled because of scan findings, sorted by name.
    pub(super) withheld: Vec<Skill>,
    pub(super) notes: Vec<SkillNote>,
    pub(super) hidden: BTreeSet<PathBuf>,
}

impl Definition for Skill {
    type Digest = SkillDigest;

    fn name(&self) -> &str {
        Self::name(self)
    }

    fn layer(&self) -> Layer {
        self.origin().layer()
    }

    fn digest(&self) -> SkillDigest {
        Self::digest(self)
    }

    fn location(&self) -> Option<Location> {
        self.folder().map(|folder| Location {
            file: folder.join("SKILL.md"),
            line: 1,
        })
    }
}

impl Rules<Skill> for Settings {
    type Rejection = Rejection;

    fn includes(&self, name: &str) -> bool {
        self.filter.allows(name) && !self.unused.contains_key(name)
    }

    fn reject(&self, skill: &Skill) -> Option<Rejection> {
        let mut findings = skill.findings().iter();
        if findings.any(|finding| finding.severity >= self.withheld_from) {
            let digest = skill.digest();
            if !self.accepted.contains(&digest) {
                return Some(Rejection::Findings(digest));
            }
        }
        let reason = self.environment.unmet_requirement(skill)?;
        Some(Rejection::Requirement(reason))
    }

    fn allows_shadowing_embedded(&self) -> bool {
        self.shadow_embedded
    }
}

impl SkillCatalog {
    /// Resolves which skills may be used.
    pub(super) fn resolve(&self) -> Resolution {
        let catalog = Catalog::resolve(self.all_skills(), &self.settings);
        let mut resolution = Resolution::default();
        for unused in catalog.unused() {
            resolution.note_unused(unused);
        }
        for skill in catalog.used() {
            resolution.note_findings(skill, &self.settings);
        }
        resolution.note_problems(self);
        resolution.note_unknown_names(&catalog, &self.settings);
        // A folder that is also used under another name, for example through a symbolic link, must not
        // be hidden.
        for folder in catalog.used().iter().filter_map(Skill::folder) {
            resolution.hidden.remove(folder);
        }
        resolution.skills = catalog.into_used();
        resolution
    }

    /// Returns all known skills; those of earlier sources come first.
    fn all_skills(&self) -> Vec<Skill> {
        let mut known = self.embedded.clone();
        for listing in &self.listings {
            let skills = listing.list.skills.iter().cloned();
            known.extend(skills.map(|skill| skill.with_source(&listing.source)));
        }
        known
    }
}

impl Resolution {
    /// Adds a note with the reason why a skill is not used.
    fn note_unused(&mut self, unused: &Unused<Skill, Rejection>) {
        let skill = &unused.definition;
        let name = skill.name().to_owned();
        let note = match &unused.reason {
            Reason::Excluded => return self.hide(skill.folder()),
            Reason::Rejected(Rejection::Findings(digest)) => {
                self.hide(skill.folder());
                self.withheld.push(skill.clone());
                SkillNote::Withheld {
                    name,
                    origin: skill.origin(),
                    digest: *digest,
                    findings: skill.findings().to_vec(),
                }
            }
            Reason::Rejected(Rejection::Requirement(reason)) => SkillNote::MissingRequirement {
                name,
                reason: reason.clone(),
            },
            Reason::Shadowed { .. } => {
                let Some(used) = unused.hidden_by() else {
                    return;
                };
                let is_denied = used.layer() < skill.layer();
                let (used, unused) = (used.origin(), skill.origin());
                if is_denied {
                    SkillNote::ShadowingDenied { name, used, unused }
                } else {
                    SkillNote::Shadowed { name, used, unused }
                }
            }
        };
        self.notes.push(note);
    }

    /// Adds a note with the scan findings of a skill that is used, unless this version is accepted.
    fn note_findings(&mut self, skill: &Skill, settings: &Settings) {
        if !skill.findings().is_empty() && !settings.accepted.contains(&skill.digest()) {
            self.notes.push(SkillNote::Flagged {
                name: skill.name().to_owned(),
                origin: skill.origin(),
                findings: skill.findings().to_vec(),
            });
        }
    }

    /// Adds notes about the problems of the sources. A folder that is not a valid skill, but is
    /// excluded by name, is hidden like a skill.
    fn note_problems(&mut self, catalog: &SkillCatalog) {
        let filter = &catalog.settings.filter;
        for listing in &catalog.listings {
            let origin = || listing.origin.clone();
            if let Some(reason) = &listing.failure {
                self.notes.push(SkillNote::Unavailable {
                    origin: origin(),
                    reason: reason.clone(),
                });
            }
            for problem in &listing.list.problems {
                match &problem.skill {
                    Some(name) if !filter.allows(name) => self.hide(problem.folder.as_deref()),
                    _ => self.notes.push(SkillNote::Problem {
                        origin: origin(),
                        problem: problem.clone(),
                    }),
                }
            }
        }
    }

    /// Adds notes about names in the filters that no skill has.
    fn note_unknown_names(&mut self, catalog: &Catalog<Skill, Rejection>, settings: &Settings) {
        for name in settings.filter.names() {
            if catalog.names().all(|known| known != name) {
                self.notes.push(SkillNote::NoSuchSkill {
                    name: name.to_owned(),
                    nearest: nearest(name, catalog.names()),
                });
            }
        }
    }

    fn hide(&mut self, folder: Option<&Path>) {
        self.hidden.extend(folder.map(Path::to_path_buf));
    }
}
