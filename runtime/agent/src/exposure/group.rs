//! Groups of tools that the model switches together.

use std::fmt;
use std::sync::Arc;

use helve_core::toolset::Toolset;
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;

/// The group that is always on, of all tools that are in no other group.
pub const BASIC: &str = "basic";

/// A group of tools that the model switches on and off together: linked tools, the tools of a server, those of a folder.
///
/// ```
/// use helve::agent::exposure::ToolGroup;
/// use helve::prelude::*;
///
/// /// Returns the stock.
/// #[tool(read_only)]
/// fn stock() -> u32 {
///     3
/// }
///
/// let shop = ToolGroup::new("shop", "Everything about the shop.")
///     .tools(toolset![stock])
///     .instructions("Look at the stock before you promise anything.")
///     .off();
/// assert_eq!(shop.name(), "shop");
/// ```
#[derive(Clone)]
pub struct ToolGroup {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) is_on: bool,
    tools: Toolset,
    #[cfg(feature = "skills")]
    pub(super) skills: Option<Arc<SkillLibrary>>,
}

/// The reason why a group cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// The name is that of the basic group.
    #[error("the group name `{BASIC}` is reserved for tools without a group: use another name")]
    Reserved,
    /// The name is invalid.
    #[error(
        "{0:?} is not a valid group name: use 1 to 64 characters of A-Z, a-z, 0-9, `.`, `_` and `-`, and not of dots alone, since it is an argument of `reset_tools`"
    )]
    Name(String),
    /// There already is a group with this name.
    #[error("duplicate group `{0}`")]
    Duplicate(String),
    /// The description is missing.
    #[error(
        "the group `{0}` needs a description: the model sees nothing else of a group that is off"
    )]
    NoDescription(String),
}

impl ToolGroup {
    /// Creates a group without tools, which is on initially. The model decides by the description.
    pub fn new(name: impl Into<Arc<str>>, description: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            instructions: None,
            is_on: true,
            tools: Toolset::empty(),
            #[cfg(feature = "skills")]
            skills: None,
        }
    }

    /// Adds tools. The toolset may have a live source: tools that arrive later are in the group, too.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "tools are handed over, as to `App::pack`"
    )]
    pub fn tools(mut self, tools: Toolset) -> Self {
        self.tools = self.tools.layered(&tools);
        self
    }

    /// Sets the skills of the group, which are listed, loaded and read only while the group is on.
    ///
    /// `reset_tools` lists the skills when it switches the group on, and `load_skill` while the group is on. The system prompt
    /// does not list them, so that it does not change. The names should be unique among the skills of the agent: of two
    /// skills with the same name, that of the group has precedence. The caller [refreshes](SkillLibrary::refresh) a library
    /// that follows its sources.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skills(mut self, skills: Arc<SkillLibrary>) -> Self {
        self.skills = Some(skills);
        self
    }

    /// Sets instructions for the tools, which the model gets when it switches the group on.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Switches the group off initially.
    #[must_use]
    pub fn off(mut self) -> Self {
        self.is_on = false;
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the tools, each marked with the group.
    pub(super) fn toolset(&self) -> Toolset {
        let name = Arc::clone(&self.name);
        match &self.instructions {
            Some(instructions) => self.tools.in_group(name, Arc::clone(instructions)),
            None => self.tools.with_group(name),
        }
    }

    pub(super) fn validate(&self, others: &[Self]) -> Result<(), GroupError> {
        let name = &*self.name;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_fit = (1..=64).contains(&name.len())
            && name.bytes().any(|byte| byte != b'.')
            && name.bytes().all(is_plain);
        match () {
            () if name == BASIC => Err(GroupError::Reserved),
            () if !is_fit => Err(GroupError::Name(name.to_owned())),
            () if others.iter().any(|other| other.name == self.name) => {
                Err(GroupError::Duplicate(name.to_owned()))
            }
            () if self.description.trim().is_empty() => {
                Err(GroupError::NoDescription(name.to_owned()))
            }
            () => Ok(()),
        }
    }
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolGroup")
            .field("name", &self.name)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
