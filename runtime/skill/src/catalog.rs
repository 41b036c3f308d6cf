//! The skills that one agent may use.

mod resolve;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::resolve::Resolution;
use super::environment::SkillEnvironment;
use super::error::{CatalogError, DuplicateSkill, SkillError};
use super::loaded_skill::LoadedSkill;
use super::scan::Severity;
use super::{
    Skill, SkillDigest, SkillFilter, SkillList, SkillNote, SkillOrigin, SkillSet, SkillSource,
    prompt, registration,
};

/// How long a source may take to list its skills, or to say whether they have changed.
const SOURCE_TIMEOUT: Duration = Duration::from_secs(30);

/// The skills that one agent may use, sorted by name. No two have one name.
///
/// It is a snapshot: what a source has later is in a new catalogue, which [`refresh`](Self::refresh) makes and a
/// [`SkillLibrary`](super::SkillLibrary) holds.
///
/// What is linked into a binary is not thereby granted: [`collect`](Self::collect) takes everything,
/// [`for_packages`](Self::for_packages) what the named packages embed. Of two skills of one name, that of the project
/// stands before that of the user, and both before that of a configured folder. An embedded skill gives way to none of
/// them unless [`shadow_embedded`](Self::shadow_embedded) says so. Whatever is left out is among the
/// [`notes`](Self::notes).
#[derive(Debug, Clone, Default)]
pub struct SkillCatalog {
    /// Sorted by name, each name once.
    embedded: Vec<Skill>,
    listings: Vec<Listing>,
    settings: Settings,
    /// What these come to: decided once, when it is first asked for.
    resolution: OnceLock<Resolution>,
}

/// What a source had when it was last asked.
#[derive(Debug, Clone)]
struct Listing {
    source: Arc<dyn SkillSource>,
    origin: SkillOrigin,
    list: SkillList,
    /// Why there is no list.
    failure: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct Settings {
    shadow_embedded: bool,
    /// From which severity of a finding on a skill is left out.
    withheld_from: Severity,
    accepted: BTreeSet<SkillDigest>,
    filter: SkillFilter,
    environment: SkillEnvironment,
}

impl SkillCatalog {
    /// Creates a catalogue without skills.
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
    /// If one of them has the name of an embedded skill that is there already.
    pub fn with(self, set: &'static SkillSet) -> Result<Self, CatalogError> {
        self.extend(std::iter::once(set))
    }

    fn extend(
        mut self,
        sets: impl Iterator<Item = &'static SkillSet>,
    ) -> Result<Self, CatalogError> {
        for set in sets {
            let skills = set.skills().iter();
            self.embedded
                .extend(skills.map(|skill| Skill::from_embedded(set, skill)));
        }
        // Stable, and quick on what is sorted already, as each set is.
        self.embedded.sort_by(|a, b| a.name().cmp(b.name()));
        let duplicates = duplicates(&self.embedded);
        if duplicates.is_empty() {
            Ok(self.changed())
        } else {
            Err(CatalogError::Duplicates(duplicates))
        }
    }

    /// Adds what a source lists. What it lists badly, or that it does not answer within 30 seconds, is a note.
    #[must_use]
    pub async fn with_source(self, source: Arc<dyn SkillSource>) -> Self {
        self.with_sources([source]).await
    }

    /// Adds what several sources list, all asked at once. Of two skills of one name and equal rank, that of the earlier
    /// source stands.
    #[must_use]
    pub async fn with_sources(
        mut self,
        sources: impl IntoIterator<Item = Arc<dyn SkillSource>>,
    ) -> Self {
        let listings = sources.into_iter().map(Listing::fetch);
        let listings = futures_util::future::join_all(listings).await;
        self.listings.extend(listings);
        self.changed()
    }

    /// Sets whether a skill of a folder may take the place of an embedded one of its name; at first it may not. That it
    /// does is a note.
    #[must_use]
    pub fn shadow_embedded(mut self, shadow: bool) -> Self {
        self.settings.shadow_embedded = shadow;
        self.changed()
    }

    /// Accepts versions of skills in which a [scan](super::scan) found something for which they are left out. A digest
    /// is that of one version: an accepted skill that changes is left out again.
    #[must_use]
    pub fn accept(mut self, digests: impl IntoIterator<Item = SkillDigest>) -> Self {
        self.settings.accepted.extend(digests);
        self.changed()
    }

    /// Leaves skills out from this severity of a finding on; at first it is [`Severity::Red`].
    #[must_use]
    pub fn withhold_from(mut self, severity: Severity) -> Self {
        self.settings.withheld_from = severity;
        self.changed()
    }

    /// Keeps the skills that a filter lets through, of those that were left by filters before.
    #[must_use]
    pub fn filtered(mut self, filter: &SkillFilter) -> Self {
        self.settings.filter = self.settings.filter.and(filter);
        self.changed()
    }

    /// Keeps the skills of these names.
    #[must_use]
    pub fn only<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.filtered(&SkillFilter::only(names))
    }

    /// Leaves out the skills of these names.
    #[must_use]
    pub fn without<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.filtered(&SkillFilter::without(names))
    }

    /// Sets what there is where the skills are used. A skill that needs a tool, a variable, a program or a system that
    /// is not there is left out.
    #[must_use]
    pub fn with_environment(mut self, environment: SkillEnvironment) -> Self {
        self.settings.environment = environment;
        self.changed()
    }

    /// Forgets what was decided before a change.
    fn changed(mut self) -> Self {
        self.resolution.take();
        self
    }

    fn resolution(&self) -> &Resolution {
        self.resolution.get_or_init(|| self.resolve())
    }

    /// Asks every source whether its skills have changed, and makes a new catalogue if any have.
    pub async fn refresh(&self) -> Option<Self> {
        let changed = self.listings.iter().map(Listing::refresh);
        let changed = futures_util::future::join_all(changed).await;
        if changed.iter().all(Option::is_none) {
            return None;
        }
        let mut fresh = self.clone();
        for (listing, changed) in fresh.listings.iter_mut().zip(changed) {
            if let Some(changed) = changed {
                *listing = changed;
            }
        }
        Some(fresh.changed())
    }

    /// Finds a skill by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Skill> {
        let skills = &self.resolution().skills;
        let index = skills.binary_search_by(|skill| skill.name().cmp(name));
        index.ok().map(|index| &skills[index])
    }

    /// Finds a skill by its name, or says which there are.
    ///
    /// # Errors
    ///
    /// If no skill has that name; the error suggests one that is nearly the same.
    pub fn find(&self, name: &str) -> Result<&Skill, SkillError> {
        self.get(name)
            .ok_or_else(|| SkillError::unknown(name, self.skills().map(Skill::name)))
    }

    /// Returns where a skill comes from.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<SkillOrigin> {
        self.get(name).map(Skill::origin)
    }

    /// Returns every skill, sorted by name.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = &Skill> + '_ {
        self.resolution().skills.iter()
    }

    /// Returns the sets that are embedded, each once.
    #[doc(hidden)]
    pub fn embedded_sets(&self) -> Vec<&'static SkillSet> {
        let mut sets: Vec<&'static SkillSet> = Vec::new();
        for (set, _) in self.embedded.iter().filter_map(Skill::as_embedded) {
            if !sets.iter().any(|known| std::ptr::eq(*known, set)) {
                sets.push(set);
            }
        }
        sets
    }

    /// Counts the skills.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resolution().skills.len()
    }

    /// Returns whether there are no skills.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resolution().skills.is_empty()
    }

    /// Returns the skills that are disabled because of scan findings, sorted by name; those that are accepted are not
    /// among them.
    pub fn withheld(&self) -> impl ExactSizeIterator<Item = &Skill> + '_ {
        self.resolution().withheld.iter()
    }

    /// Returns everything that a person should know: what is left out and why, what hides what, what a scan found.
    #[must_use]
    pub fn notes(&self) -> &[SkillNote] {
        &self.resolution().notes
    }

    /// Returns the folders of this machine whose skills may not be used, sorted: those that a filter keeps out, and
    /// those that are left out for what a scan found. A session's file access and its sandbox have to keep them shut,
    /// so that no path leads to a skill that the session does not have.
    pub fn hidden_paths(&self) -> impl ExactSizeIterator<Item = &Path> + '_ {
        self.resolution().hidden.iter().map(PathBuf::as_path)
    }

    /// Renders the list of skills for a system prompt, in at most 8,000 characters. Empty if there are no skills.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.prompt_within(prompt::budget(None))
    }

    /// Renders the list of skills for a system prompt, in at most `budget` characters; see
    /// [`prompt_budget`](super::prompt_budget). Skills that only people may start are not in it.
    ///
    /// If they do not fit, the long descriptions are shortened, then all are left out. Names that still do not fit
    /// are counted, so that nothing goes missing in silence.
    #[must_use]
    pub fn prompt_within(&self, budget: usize) -> String {
        let shown = self.skills().filter(|skill| skill.is_model_invocable());
        prompt::render(&shown.collect::<Vec<_>>(), budget)
    }

    /// Returns what a model gets when it asks for a skill: the instructions, and a list of the files.
    ///
    /// # Errors
    ///
    /// If no skill has that name, with one that is nearly the same; or if its source cannot read it.
    pub async fn load(&self, name: &str) -> Result<LoadedSkill, SkillError> {
        LoadedSkill::load(self.find(name)?).await
    }
}

impl Listing {
    async fn fetch(source: Arc<dyn SkillSource>) -> Self {
        let origin = source.origin();
        let late = || SkillError::Unavailable {
            origin: origin.clone(),
            reason: format!("no answer within {} seconds", SOURCE_TIMEOUT.as_secs()),
        };
        let listed = tokio::time::timeout(SOURCE_TIMEOUT, source.list()).await;
        let (list, failure) = match listed.unwrap_or_else(|_| Err(late())) {
            Ok(list) => (list, None),
            // It says again whose skills they are, which the note does.
            Err(SkillError::Unavailable { reason, .. }) => (SkillList::default(), Some(reason)),
            Err(error) => (
                SkillList::default(),
                Some(helve_core::tool::chain_text(&error)),
            ),
        };
        Self {
            source,
            origin,
            list,
            failure,
        }
    }

    /// Lists the source again if it has changed. One that does not say so in time has not.
    async fn refresh(&self) -> Option<Self> {
        let revision = tokio::time::timeout(SOURCE_TIMEOUT, self.source.revision())
            .await
            .ok()?;
        if revision == self.list.revision {
            return None;
        }
        Some(Self::fetch(Arc::clone(&self.source)).await)
    }
}

/// Finds the names that are there twice among skills that are sorted by name.
fn duplicates(skills: &[Skill]) -> Vec<DuplicateSkill> {
    let same = skills.chunk_by(|a, b| a.name() == b.name());
    let named = same.filter(|same| same.len() > 1).map(|same| {
        let sets = same.iter().filter_map(Skill::as_embedded);
        let mut origins: Vec<_> = sets
            .map(|(set, _)| (set.package().to_owned(), set.folder().to_owned()))
            .collect();
        // The linker's order means nothing.
        origins.sort();
        DuplicateSkill {
            name: same[0].name().to_owned(),
            origins,
        }
    });
    named.collect()
}

#[cfg(test)]
mod tests;
