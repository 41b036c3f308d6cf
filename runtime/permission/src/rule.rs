//! A rule about calls.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool_aliases::earlier_name;
use helve_storage::glob;

/// A rule about calls, written `bash(git commit:*)`, `write_file(src/**)` or `mcp__github__*`.
///
/// What it does (allow, ask, deny) is a matter of the list that it stands in. What stands between the parentheses is the
/// tool's own language; without them the rule is about every call of the tool.
///
/// ```
/// use helve::permission::Rule;
///
/// let rule: Rule = "bash(git commit:*)".parse()?;
/// assert_eq!((&*rule.tool, rule.content.as_deref()), ("bash", Some("git commit:*")));
/// assert_eq!(rule.to_string(), "bash(git commit:*)");
/// # Ok::<(), helve::permission::InvalidRule>(())
/// ```
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    /// The tool's name; a `*` stands for any text.
    pub tool: String,
    /// Which calls of it, in the tool's own language; all where there is none.
    pub content: Option<String>,
}

impl Rule {
    /// Creates a rule that covers every call of a tool.
    pub fn tool(tool: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            content: None,
        }
    }

    /// Creates a rule that covers some calls of a tool.
    pub fn calls(tool: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            content: Some(content.into()),
        }
    }

    /// Reports whether the rule applies to the tool of this name. A rule may have the name that the tool had in an earlier
    /// version: `delegate` applies to `task`.
    #[must_use]
    pub fn matches_tool(&self, tool: &str) -> bool {
        let mut names = [Some(tool), earlier_name(tool)].into_iter().flatten();
        names.any(|name| match self.tool.contains('*') {
            true => glob::segment(&self.tool, name),
            false => self.tool == name,
        })
    }

    /// Reports whether the textual form of the rule parses back to the same rule.
    pub(super) fn is_valid(&self) -> bool {
        self.to_string().parse().as_ref() == Ok(self)
    }
}

/// The text is not a valid [`Rule`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid rule `{0}`; expected `tool`, `tool(calls)` or `prefix*`, for example `bash(git commit:*)`"
)]
pub struct InvalidRule(String);

impl FromStr for Rule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, InvalidRule> {
        let invalid = || InvalidRule(text.to_owned());
        let (tool, content) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(invalid)?)),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.*/:".contains(c);
        if tool.is_empty() || !tool.chars().all(is_name) || content == Some("") {
            return Err(invalid());
        }
        Ok(Self {
            tool: tool.to_owned(),
            content: content.map(str::to_owned),
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            None => f.write_str(&self.tool),
            Some(content) => write!(f, "{}({content})", self.tool),
        }
    }
}

impl TryFrom<String> for Rule {
    type Error = InvalidRule;

    fn try_from(text: String) -> Result<Self, InvalidRule> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.to_string()
    }
}

/// The scope of a rule that is granted with a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// This session, wherever it goes on.
    #[default]
    Session,
    /// All users of this project: a file in it.
    Project,
    /// This user, in every project: a file of theirs.
    User,
}

impl RuleScope {
    /// Returns the name of the scope.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for RuleScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
