//! A filter of the skills that may be used by an agent, in a session, or with a group of tools.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// An allow-list or a deny-list of skills.
///
/// A filter is a plain value, so that an agent's specification, a session's settings and a group of
/// tools can each hold one. [`and`](Self::and) returns the intersection of two filters.
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
    /// Creates a filter that allows all skills.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Creates a filter that allows only the skills with these names.
    pub fn only<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            only: Some(names.into_iter().map(Into::into).collect()),
            without: BTreeSet::new(),
        }
    }

    /// Creates a filter that allows all skills except those with these names.
    pub fn without<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            only: None,
            without: names.into_iter().map(Into::into).collect(),
        }
    }

    /// Returns a filter that allows the skills that both filters allow.
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

    /// Returns every name in the filter, so that unknown names can be reported.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let only = self.only.iter().flatten();
        only.chain(&self.without).map(String::as_str)
    }
}
