//! Which of the skills that are known may be used, and what is said of the others.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Settings, SkillCatalog};
use crate::error::nearest;
use crate::{Skill, SkillNote};

impl SkillCatalog {
    /// Decides again which skills may be used.
    pub(super) fn resolve(mut self) -> Self {
        let mut decided = Resolution::default();
        let known = self.all_skills();
        for same in known.chunk_by(|a, b| a.name() == b.name()) {
            decided.decide(same, &self.settings);
        }
        decided.note_problems(&self);
        decided.note_unknown_names(&known, &self.settings);
        // What is used under another name, through a link for example, has to stay open.
        for skill in &decided.skills {
            if let Some(folder) = skill.folder() {
                decided.hidden.remove(folder);
            }
        }
        self.skills = decided.skills;
        self.withheld = decided.withheld;
        self.notes = decided.notes;
        self.hidden = decided.hidden;
        self
    }

    /// Returns every skill that is known, sorted by name; of one name, the higher rank first, then the earlier source.
    fn all_skills(&self) -> Vec<Skill> {
        let mut known = self.embedded.clone();
        if self.listings.is_empty() {
            return known;
        }
        for listing in &self.listings {
            let skills = listing.list.skills.iter().cloned();
            known.extend(skills.map(|skill| skill.with_source(&listing.source)));
        }
        known.sort_by(|a, b| {
            let rank = |skill: &Skill| skill.origin().rank();
            a.name().cmp(b.name()).then_with(|| rank(b).cmp(&rank(a)))
        });
        known
    }
}

#[derive(Default)]
struct Resolution {
    skills: Vec<Skill>,
    withheld: Vec<Skill>,
    notes: Vec<SkillNote>,
    hidden: BTreeSet<PathBuf>,
}

impl Resolution {
    /// Decides among the skills of one name.
    fn decide(&mut self, same: &[Skill], settings: &Settings) {
        let Some(name) = same.first().map(Skill::name) else {
            return;
        };
        if !settings.filter.allows(name) {
            self.hide_all(same.iter().filter_map(Skill::folder));
            return;
        }
        if let [skill] = same {
            // By far the most common case, and the one that start-up is made of.
            if self.is_usable(skill, settings) {
                self.accept(skill, settings);
            }
            return;
        }
        let usable: Vec<_> = same
            .iter()
            .filter(|skill| self.is_usable(skill, settings))
            .collect();
        let embedded = usable.iter().position(|skill| skill.origin().is_embedded());
        let used = match embedded {
            Some(embedded) if !settings.shadow_embedded => embedded,
            _ => 0,
        };
        let Some(&skill) = usable.get(used) else {
            return;
        };
        for (index, unused) in usable.iter().enumerate() {
            if index != used {
                self.note_unused(skill, unused, index < used);
            }
        }
        self.accept(skill, settings);
    }

    /// Takes a skill in, and says what a scan found in it.
    fn accept(&mut self, skill: &Skill, settings: &Settings) {
        if !skill.findings().is_empty() && !settings.accepted.contains(&skill.digest()) {
            self.notes.push(SkillNote::Flagged {
                name: skill.name().to_owned(),
                origin: skill.origin(),
                findings: skill.findings().to_vec(),
            });
        }
        self.skills.push(skill.clone());
    }

    /// Returns whether a skill can be used at all, and says why not.
    fn is_usable(&mut self, skill: &Skill, settings: &Settings) -> bool {
        let name = || skill.name().to_owned();
        let findings = skill.findings();
        if findings
            .iter()
            .any(|finding| finding.severity >= settings.withheld_from)
        {
            let digest = skill.digest();
            if !settings.accepted.contains(&digest) {
                self.notes.push(SkillNote::Withheld {
                    name: name(),
                    origin: skill.origin(),
                    digest,
                    findings: findings.to_vec(),
                });
                self.hide_all(skill.folder());
                self.withheld.push(skill.clone());
                return false;
            }
        }
        match settings.environment.unmet_requirement(skill) {
            None => true,
            Some(reason) => {
                self.notes.push(SkillNote::MissingRequirement {
                    name: name(),
                    reason,
                });
                false
            }
        }
    }

    /// Notes that a skill is shadowed by another one of its name.
    fn note_unused(&mut self, used: &Skill, unused: &Skill, outranks: bool) {
        let embedded = used.origin().is_embedded() || unused.origin().is_embedded();
        // One copy through two paths, or two copies of one version, hide nothing from anyone.
        if !embedded && used.digest() == unused.digest() {
            return;
        }
        let (name, used, unused) = (used.name().to_owned(), used.origin(), unused.origin());
        self.notes.push(if outranks {
            SkillNote::ShadowingDenied { name, used, unused }
        } else {
            SkillNote::Shadowed { name, used, unused }
        });
    }

    /// Says what is wrong in the sources. A folder that is no skill, but not allowed either, is hidden like one.
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
                    Some(name) if !filter.allows(name) => {
                        self.hide_all(problem.folder.as_deref());
                    }
                    _ => self.notes.push(SkillNote::Problem {
                        origin: origin(),
                        problem: problem.clone(),
                    }),
                }
            }
        }
    }

    /// Notes the names in the filters that no skill has.
    fn note_unknown_names(&mut self, known: &[Skill], settings: &Settings) {
        for name in settings.filter.names() {
            if known
                .binary_search_by(|skill| skill.name().cmp(name))
                .is_err()
            {
                self.notes.push(SkillNote::NoSuchSkill {
                    name: name.to_owned(),
                    nearest: nearest(name, known.iter().map(Skill::name)),
                });
            }
        }
    }

    fn hide_all<'p>(&mut self, folders: impl IntoIterator<Item = &'p Path>) {
        self.hidden
            .extend(folders.into_iter().map(Path::to_path_buf));
    }
}
