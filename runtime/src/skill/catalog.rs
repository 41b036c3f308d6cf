//! The skills that one agent may use.

use std::collections::BTreeMap;

use super::error::{CatalogError, Duplicate, SkillError};
use super::load::LoadedSkill;
use super::{EmbeddedSkill, SkillSet, prompt, registration};

/// The skills that one agent may use, sorted by name. No two have one name.
///
/// What is linked into a binary is not thereby granted: [`collect`](Self::collect) takes everything,
/// [`for_packages`](Self::for_packages) what the named packages embed.
#[derive(Debug, Clone, Default)]
pub struct SkillCatalog {
    entries: BTreeMap<&'static str, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    skill: &'static EmbeddedSkill,
    set: &'static SkillSet,
}

impl SkillCatalog {
    /// Makes a catalogue without skills.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes every skill that is linked into this binary.
    ///
    /// # Errors
    ///
    /// If two skills have one name; the error shows where each comes from.
    pub fn collect() -> Result<Self, CatalogError> {
        Self::new().extend(registration::registered())
    }

    /// Takes the skills that the packages of these names embed. A package that embeds none adds none.
    ///
    /// # Errors
    ///
    /// If two of the skills have one name. What other packages embed does not matter.
    pub fn for_packages(packages: &[&str]) -> Result<Self, CatalogError> {
        Self::new()
            .extend(registration::registered().filter(|set| packages.contains(&set.package())))
    }

    /// Adds the skills of a set.
    ///
    /// # Errors
    ///
    /// If one of them has the name of a skill that is there already.
    pub fn with(self, set: &'static SkillSet) -> Result<Self, CatalogError> {
        self.extend(std::iter::once(set))
    }

    fn extend(
        mut self,
        sets: impl Iterator<Item = &'static SkillSet>,
    ) -> Result<Self, CatalogError> {
        let mut clashes: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
        for set in sets {
            for skill in set.skills() {
                let entry = Entry { skill, set };
                if let Some(first) = self.entries.get(skill.name()) {
                    clashes
                        .entry(skill.name())
                        .or_insert_with(|| vec![*first])
                        .push(entry);
                } else {
                    self.entries.insert(skill.name(), entry);
                }
            }
        }
        if clashes.is_empty() {
            Ok(self)
        } else {
            Err(CatalogError::Duplicates(duplicates(&clashes)))
        }
    }

    /// Finds a skill by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static EmbeddedSkill> {
        self.entries.get(name).map(|entry| entry.skill)
    }

    /// Finds the set that a skill came with: its package and its folder.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<&'static SkillSet> {
        self.entries.get(name).map(|entry| entry.set)
    }

    /// Gives every skill, sorted by name.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = &'static EmbeddedSkill> + '_ {
        self.entries.values().map(|entry| entry.skill)
    }

    /// Counts the skills.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Tells whether there are no skills.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Renders the list of skills for a system prompt, in at most 8,000 characters. Empty if there are no skills.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.prompt_within(prompt::BUDGET)
    }

    /// Renders the list of skills for a system prompt, in at most `budget` characters.
    ///
    /// If they do not fit, the long descriptions are shortened, then all are left out. Names that still do not fit
    /// are counted, so that nothing goes missing in silence.
    #[must_use]
    pub fn prompt_within(&self, budget: usize) -> String {
        prompt::render(&self.skills().collect::<Vec<_>>(), budget)
    }

    /// Gives what a model gets when it asks for a skill: the instructions, and a list of the files.
    ///
    /// # Errors
    ///
    /// If no skill has that name; the error suggests one that is nearly the same.
    pub fn load(&self, name: &str) -> Result<LoadedSkill, SkillError> {
        self.get(name)
            .map(LoadedSkill::new)
            .ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> SkillError {
        let lower = name.trim().to_lowercase();
        // One slip in three characters; with more of them the suggestion would be a guess.
        let slips = (lower.chars().count() / 3).max(1);
        let distances = self
            .entries
            .keys()
            .map(|known| (strsim::damerau_levenshtein(&lower, known), *known));
        let nearest = distances.filter(|(distance, _)| *distance <= slips).min();
        SkillError::Unknown {
            name: name.to_owned(),
            nearest: nearest.map(|(_, known)| known.to_owned()),
            known: self.entries.keys().map(|&known| known.to_owned()).collect(),
        }
    }
}

fn duplicates(clashes: &BTreeMap<&str, Vec<Entry>>) -> Vec<Duplicate> {
    let named = clashes.iter().map(|(name, entries)| {
        let origins = entries.iter().map(|entry| {
            (
                entry.set.package().to_owned(),
                entry.set.folder().to_owned(),
            )
        });
        let mut origins: Vec<_> = origins.collect();
        // The linker's order means nothing.
        origins.sort();
        Duplicate {
            name: (*name).to_owned(),
            origins,
        }
    });
    named.collect()
}

#[cfg(test)]
mod tests;
