//! The configuration of tool exposure.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::lexical_suggester::IndexCache;
use super::{GroupError, LexicalSuggester, Suggester, ToolGroup};
use helve_core::toolset::Toolset;
#[cfg(feature = "skills")]
use helve_skill::{SkillCatalog, SkillLibrary};

/// The default number of tools above which tools have to be selected.
const DEFAULT_LIMIT: usize = 15;

/// The configuration of tool exposure: the groups of tools, the number of tools of a request, and the suggester.
///
/// ```
/// use helve::agent::exposure::{ToolExposure, ToolGroup};
///
/// let exposure = ToolExposure::new().limit(20).always(["read_file", "edit_file"]);
/// let twice = exposure.group(ToolGroup::new("shop", "The shop."))?.group(ToolGroup::new("shop", "Again."));
/// assert_eq!(twice.unwrap_err().to_string(), "duplicate group `shop`");
/// # Ok::<(), helve::agent::exposure::GroupError>(())
/// ```
#[derive(Clone)]
pub struct ToolExposure {
    pub(super) limit: usize,
    pub(super) always: BTreeSet<String>,
    pub(super) groups: Vec<ToolGroup>,
    /// The index of `tool_search`.
    pub(super) index_cache: Arc<IndexCache>,
    /// The suggester for toolsets above the limit. It is also used if the model should choose and fails.
    pub(crate) suggester: Arc<dyn Suggester>,
    /// Whether the model of the agent chooses the tools, in a separate step.
    pub(crate) is_suggested_by_model: bool,
}

impl ToolExposure {
    /// Exposes up to 15 tools as they are. With more tools, the words of the conversation decide.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            always: BTreeSet::new(),
            groups: Vec::new(),
            index_cache: Arc::default(),
            suggester: Arc::new(LexicalSuggester::new()),
            is_suggested_by_model: false,
        }
    }

    /// Sets the number of tools that are exposed without a choice, and the maximum number of chosen tools. Tools that are
    /// always exposed and meta tools do not count.
    #[must_use]
    pub fn limit(mut self, tools: usize) -> Self {
        self.limit = tools;
        self
    }

    /// Sets the suggester.
    #[must_use]
    pub fn suggester(mut self, suggester: impl Suggester + 'static) -> Self {
        self.suggester = Arc::new(suggester);
        self.is_suggested_by_model = false;
        self
    }

    /// Adds tools that are always exposed while their group is on.
    #[must_use]
    pub fn always<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.always.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Adds a group. A group that only tools name exists without being added.
    ///
    /// # Errors
    ///
    /// The name of the group is taken or invalid, or the group has no description.
    pub fn group(mut self, group: ToolGroup) -> Result<Self, GroupError> {
        group.validate(&self.groups)?;
        self.groups.push(group);
        Ok(self)
    }

    /// Lets the model of the agent choose, in a step before the first reply of a turn, which costs a model call.
    #[must_use]
    pub fn suggest_by_model(mut self) -> Self {
        self.suggester = Arc::new(LexicalSuggester::new());
        self.is_suggested_by_model = true;
        self
    }

    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Returns the tools of the groups.
    #[doc(hidden)]
    pub fn tools(&self) -> Toolset {
        let groups = self.groups.iter();
        groups.fold(Toolset::empty(), |all, group| all.layered(&group.toolset()))
    }

    /// Returns the tools that load the skills of groups, if a group has skills. The tools have no skills themselves.
    #[cfg(feature = "skills")]
    pub(crate) fn skill_tools(&self) -> Option<Toolset> {
        let has_skills = self.groups.iter().any(|group| group.skills.is_some());
        let none = || Arc::new(SkillLibrary::new(SkillCatalog::new()));
        has_skills.then(|| SkillLibrary::toolset(none()))
    }

    #[cfg(feature = "skills")]
    pub(super) fn group_skills(&self, group: &str) -> Option<&Arc<SkillLibrary>> {
        let group = self.groups.iter().find(|of| &*of.name == group);
        group.and_then(|group| group.skills.as_ref())
    }

    /// Returns the revisions of the skills of the groups.
    #[cfg(feature = "skills")]
    pub(super) fn skill_revisions(&self) -> Vec<u64> {
        let libraries = self.groups.iter().filter_map(|group| group.skills.as_ref());
        libraries.map(|library| library.revision()).collect()
    }

    #[cfg(not(feature = "skills"))]
    #[expect(clippy::unused_self, reason = "with skills it is read")]
    pub(super) fn skill_revisions(&self) -> Vec<u64> {
        Vec::new()
    }

    #[cfg(feature = "skills")]
    pub(super) fn groups_with_skills(&self) -> impl Iterator<Item = &Arc<str>> {
        let has_skills = |group: &&ToolGroup| {
            let skills = group.skills.as_ref();
            skills.is_some_and(|skills| !skills.current().is_empty())
        };
        let groups = self.groups.iter().filter(has_skills);
        groups.map(|group| &group.name)
    }

    /// Returns the maximum number of suggested tools that stay exposed.
    pub(crate) fn max_suggested(&self) -> usize {
        self.limit.saturating_mul(2)
    }
}

impl Default for ToolExposure {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ToolExposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolExposure")
            .field("limit", &self.limit)
            .field("always", &self.always)
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}
