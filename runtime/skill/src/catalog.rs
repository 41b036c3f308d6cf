//! The catalogue of the skills that one agent may use.

mod resolve;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::resolve::Resolution;
use super::availability::{SkillAvailability, read_unused};
use super::environment::SkillEnvironment;
use super::error::{CatalogError, DuplicateSkill, SkillError};
use super::loaded_skill::LoadedSkill;
use super::scan::Severity;
use super::{
    Skill, SkillDigest, SkillFilter, SkillList, SkillNote, SkillOrigin, SkillSet, SkillSource,
    prompt, registration,
};

/// How long a source may take to list its skills, or to report whether they have changed.
const SOURCE_TIMEOUT: Duration = Duration::from_secs(30);

/// The skills that one agent may use, sorted by name. Names are unique.
///
/// A catalogue is a snapshot. [`refresh`](Self::refresh) returns a new catalogue after a source has
/// changed, and a [`SkillLibrary`](super::SkillLibrary) holds the current one.
///
/// Linking a skill into a binary does not grant the skill: [`collect`](Self::collect) adds all linked
/// skills, [`for_packages`](Self::for_packages) those that the named packages embed. If skills have the
/// same name, a skill of the project takes precedence over one of the user, and both take precedence
/// over one of a configured folder. An embedded skill takes precedence over all of them unless
/// [`shadow_embedded`](Self::shadow_embedded) is set. The [`notes`](Self::notes) list all skills that
/// are left out.
///
/// ```
/// use helve::skill::SkillCatalog;
///
/// let catalog = SkillCatalog::new().only(["review"]);
/// assert!(catalog.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct SkillCatalog {
    /// The embedded skills, sorted by name, without duplicates.
    embedded: Vec<Skill>,
    listings: Vec<SourceListing>,
    settings: Settings,
    /// The resolved skills, computed on first use.
    resolution: OnceLock<Resolution>,
}

/// The result of the last listing of a source.
#[derive(Debug, Clone)]
struct SourceListing {
    source: Arc<dyn SkillSource>,
    origin: SkillOrigin,
    list: SkillList,
    /// The reason why the source could not be listed.
    failure: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct Settings {
    shadow_embedded: bool,
    /// The least severity of a finding that disables a skill.
    withheld_from: Severity,
    accepted: BTreeSet<SkillDigest>,
    filter: SkillFilter,
    environment: SkillEnvironment,
    availability: Option<Arc<dyn SkillAvailability>>,
    /// The skills that are not used at present, with the reason of each.
    unused: BTreeMap<String, String>,
}

impl SkillCatalog {
    /// Creates a catalogue without skills.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a catalogue of all skills that are linked into this binary.
    ///
    /// # Errors
    ///
    /// If two skills have the same name; the error names the origin of each.
    pub fn collect() -> Result<Self, CatalogError> {
        Self::new().extend(registration::registered())
    }

    /// Creates a catalogue of the skills that the named packages embed. A package may embed no skills.
    ///
    /// # Errors
    ///
    /// If two of these skills have the same name. Skills of other packages are not checked.
    pub fn for_packages(packages: &[&str]) -> Result<Self, CatalogError> {
        Self::new()
            .extend(registration::registered().filter(|set| packages.contains(&set.package())))
    }

    /// Adds the skills of a set.
    ///
    /// # Errors
    ///
    /// If one of them has the name of an embedded skill of the catalogue.
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
        // The sort is stable, and fast because each set is already sorted.
        self.embedded.sort_by(|a, b| a.name().cmp(b.name()));
        let duplicates = duplicates(&self.embedded);
        if duplicates.is_empty() {
            Ok(self.changed())
        } else {
            Err(CatalogError::Duplicates(duplicates))
        }
    }

    /// Adds the skills that a source lists. Problems of the listing, and a source that does not answer
    /// within 30 seconds, become notes.
    #[must_use]
    pub async fn with_source(self, source: Arc<dyn SkillSource>) -> Self {
        self.with_sources([source]).await
    }

    /// Adds the skills of several sources, which are listed concurrently. Of two skills with the same
    /// name and equal precedence, the one of the earlier source is used.
    #[must_use]
    pub async fn with_sources(
        mut self,
        sources: impl IntoIterator<Item = Arc<dyn SkillSource>>,
    ) -> Self {
        let listings = sources.into_iter().map(SourceListing::fetch);
        let listings = futures_util::future::join_all(listings).await;
        self.listings.extend(listings);
        self.changed()
    }

    /// Sets whether a skill of a folder may replace an embedded skill of the same name. The default is
    /// `false`. Each replacement is recorded as a note.
    #[must_use]
    pub fn shadow_embedded(mut self, shadow: bool) -> Self {
        self.settings.shadow_embedded = shadow;
        self.changed()
    }

    /// Accepts versions of skills that a [scan](super::scan) has disabled. A digest identifies one
    /// version: an accepted skill that changes is disabled again.
    #[must_use]
    pub fn accept(mut self, digests: impl IntoIterator<Item = SkillDigest>) -> Self {
        self.settings.accepted.extend(digests);
        self.changed()
    }

    /// Sets the least severity of a finding that disables a skill. The default is [`Severity::Red`].
    #[must_use]
    pub fn withhold_from(mut self, severity: Severity) -> Self {
        self.settings.withheld_from = severity;
        self.changed()
    }

    /// Applies a filter, in addition to the earlier ones.
    #[must_use]
    pub fn filtered(mut self, filter: &SkillFilter) -> Self {
        self.settings.filter = self.settings.filter.and(filter);
        self.changed()
    }

    /// Keeps only the skills with these names.
    #[must_use]
    pub fn only<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.filtered(&SkillFilter::only(names))
    }

    /// Leaves out the skills with these names.
    #[must_use]
    pub fn without<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.filtered(&SkillFilter::without(names))
    }

    /// Sets the environment in which the skills are used. A skill that needs a tool, a variable, a
    /// program or a system that the environment does not have is left out.
    #[must_use]
    pub fn with_environment(mut self, environment: SkillEnvironment) -> Self {
        self.settings.environment = environment;
        self.changed()
    }

    /// Leaves out the skills that are not used at present; each [`refresh`](Self::refresh), and each use
    /// of a skill by a tool, asks for them again.
    #[must_use]
    pub async fn with_availability(mut self, availability: Arc<dyn SkillAvailability>) -> Self {
        self.settings.unused = read_unused(&availability).await.unwrap_or_default();
        self.settings.availability = Some(availability);
        self.changed()
    }

    /// Discards the resolution after a change of the settings.
    fn changed(mut self) -> Self {
        self.resolution.take();
        self
    }

    fn resolution(&self) -> &Resolution {
        self.resolution.get_or_init(|| self.resolve())
    }

    /// Asks every source whether its skills have changed, and which skills are not used; returns a new
    /// catalogue if anything is different.
    pub async fn refresh(&self) -> Option<Self> {
        let changed = self.listings.iter().map(SourceListing::refresh);
        let changed = futures_util::future::join_all(changed).await;
        let unused = self.read_unused().await;
        let unused = unused.filter(|unused| *unused != self.settings.unused);
        if unused.is_none() && changed.iter().all(Option::is_none) {
            return None;
        }
        let mut fresh = self.clone();
        if let Some(unused) = unused {
            fresh.settings.unused = unused;
        }
        for (listing, changed) in fresh.listings.iter_mut().zip(changed) {
            if let Some(changed) = changed {
                *listing = changed;
            }
        }
        Some(fresh.changed())
    }

    async fn read_unused(&self) -> Option<BTreeMap<String, String>> {
        read_unused(self.settings.availability.as_ref()?).await
    }

    /// Returns the skill with a name, for a tool that is about to use it.
    ///
    /// # Errors
    ///
    /// Like [`find`](Self::find), and if the skill has been disabled since the last refresh.
    pub(super) async fn find_usable(&self, name: &str) -> Result<&Skill, SkillError> {
        let skill = self.find(name)?;
        match self
            .read_unused()
            .await
            .and_then(|mut unused| unused.remove(name))
        {
            Some(reason) => Err(SkillError::unused(name, &reason)),
            None => Ok(skill),
        }
    }

    /// Finds a skill by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Skill> {
        let skills = &self.resolution().skills;
        let index = skills.binary_search_by(|skill| skill.name().cmp(name));
        index.ok().map(|index| &skills[index])
    }

    /// Returns the skill with a name.
    ///
    /// # Errors
    ///
    /// If no skill has that name (the error contains the most similar name), or if the skill is not used
    /// at present.
    pub fn find(&self, name: &str) -> Result<&Skill, SkillError> {
        self.get(name)
            .ok_or_else(|| match self.settings.unused.get(name) {
                Some(reason) if self.settings.filter.allows(name) => {
                    SkillError::unused(name, reason)
                }
                _ => SkillError::unknown(name, self.skills().map(Skill::name)),
            })
    }

    /// Returns the origin of a skill.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<SkillOrigin> {
        self.get(name).map(Skill::origin)
    }

    /// Returns every skill, sorted by name.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = &Skill> + '_ {
        self.resolution().skills.iter()
    }

    /// Returns the embedded sets, without duplicates.
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

    /// Returns the number of skills.
    #[must_use]
    pub fn len(&self) -> usize {
        self.resolution().skills.len()
    }

    /// Returns whether there are no skills.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resolution().skills.is_empty()
    }

    /// Returns the skills that are disabled because of scan findings, sorted by name, without the
    /// accepted ones.
    pub fn withheld(&self) -> impl ExactSizeIterator<Item = &Skill> + '_ {
        self.resolution().withheld.iter()
    }

    /// Returns the notes for the user: skills that are left out with the reason, skills that shadow
    /// others, and scan findings.
    #[must_use]
    pub fn notes(&self) -> &[SkillNote] {
        &self.resolution().notes
    }

    /// Returns the folders of this machine whose skills may not be used, sorted: those that a filter
    /// excludes, and those that scan findings disable. File access and the sandbox of a session must
    /// deny these folders, so that no path leads to a skill that the session does not have.
    pub fn hidden_paths(&self) -> impl ExactSizeIterator<Item = &Path> + '_ {
        self.resolution().hidden.iter().map(PathBuf::as_path)
    }

    /// Renders the list of skills for a system prompt, in at most 8,000 characters. The text is empty
    /// if there are no skills.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.prompt_within(prompt::budget(None))
    }

    /// Renders the list of skills for a system prompt, in at most `budget` characters; see
    /// [`prompt_budget`](super::prompt_budget). Skills that only the user may start are left out.
    ///
    /// If the list is too long, the long descriptions are shortened first; then all descriptions are
    /// left out. Names that still do not fit are counted in a note.
    #[must_use]
    pub fn prompt_within(&self, budget: usize) -> String {
        let shown = self.skills().filter(|skill| skill.is_model_invocable());
        prompt::render(&shown.collect::<Vec<_>>(), budget)
    }

    /// Returns a skill as a model receives it: the instructions, and a list of the files.
    ///
    /// # Errors
    ///
    /// If no skill has that name (the error contains the most similar name), or if the source cannot
    /// read the skill.
    pub async fn load(&self, name: &str) -> Result<LoadedSkill, SkillError> {
        LoadedSkill::load(self.find(name)?).await
    }
}

impl SourceListing {
    async fn fetch(source: Arc<dyn SkillSource>) -> Self {
        let origin = source.origin();
        let late = || SkillError::Unavailable {
            origin: origin.clone(),
            reason: format!("no answer within {} seconds", SOURCE_TIMEOUT.as_secs()),
        };
        let listed = tokio::time::timeout(SOURCE_TIMEOUT, source.list()).await;
        let (list, failure) = match listed.unwrap_or_else(|_| Err(late())) {
            Ok(list) => (list, None),
            // Only the reason: the note already names the origin.
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

    /// Lists the source again if it has changed. A source that does not answer in time counts as
    /// unchanged.
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

/// Returns the duplicate names among skills that are sorted by name.
fn duplicates(skills: &[Skill]) -> Vec<DuplicateSkill> {
    let same = skills.chunk_by(|a, b| a.name() == b.name());
    let named = same.filter(|same| same.len() > 1).map(|same| {
        let sets = same.iter().filter_map(Skill::as_embedded);
        let mut origins: Vec<_> = sets
            .map(|(set, _)| (set.package().to_owned(), set.folder().to_owned()))
            .collect();
        // The order of linking is arbitrary.
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
