//! Which skills may be used: by an agent, in a session, while a group of tools is on.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A list of skills that may be used, or of those that may not.
///
/// It is a plain value, so that an agent's specification, a session's settings and a group of tools can each hold one;
/// what all of them let through is their [`and`](Self::and).
///
/// ```
/// use helve::skill::SkillFilter;
///
/// let agent = SkillFilter::only(["pdf", "csv"]);
/// let session = SkillFilter::without(["csv"]);
/// let both = agent.and(&session);
/// assert!(both.allows("pdf") && !both.allows("csv") && !both.allows("web"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<BTreeSet<String>>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    without: BTreeSet<String>,
}

impl SkillFilter {
    /// Lets every skill through.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Lets the skills of these names through, and no others.
    pub fn only<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            only: Some(names.into_iter().map(Into::into).collect()),
            without: BTreeSet::new(),
        }
    }

    /// Lets every skill but those of these names through.
    pub fn without<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            only: None,
            without: names.into_iter().map(Into::into).collect(),
        }
    }

    /// Lets through what both let through.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let only = match (&self.only, &other.only) {
            (Some(one), Some(two)) => Some(one & two),
            (one, two) => one.as_ref().or(two.as_ref()).cloned(),
        };
        Self {
            only,
            without: &self.without | &other.without,
        }
    }

    /// Returns whether a skill may be used.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let listed = self.only.as_ref().is_none_or(|only| only.contains(name));
        listed && !self.without.contains(name)
    }

    /// Returns whether every skill may be used.
    #[must_use]
    pub fn allows_all(&self) -> bool {
        self.only.is_none() && self.without.is_empty()
    }

    /// Returns every name that is spoken of, so that one which no skill has can be said.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let only = self.only.iter().flatten();
        only.chain(&self.without).map(String::as_str)
    }
}
