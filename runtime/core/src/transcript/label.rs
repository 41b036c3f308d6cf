//! Labels: the provenance of text in a conversation, a result or a delegate's work.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ToolName;

/// The maximum number of sources of a label; further sources are only indicated by a flag.
const MAX_SOURCES: usize = 32;

/// The trust in the author of a text; a greater grade is trusted less.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::Grade;
///
/// assert!(Grade::Web.is_untrusted());
/// assert!(!Grade::Workspace.is_untrusted());
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grade {
    /// Text of the user, of the app, and of its instructions.
    #[default]
    User,
    /// Files of the user, and output of commands in the session's own sandbox.
    Workspace,
    /// A server of the Model Context Protocol.
    McpServer,
    /// The network, or an unknown source.
    Web,
}

impl Grade {
    /// Reports whether text of this grade may contain attempts to steer the model.
    #[must_use]
    pub const fn is_untrusted(self) -> bool {
        matches!(self, Self::McpServer | Self::Web)
    }

    /// Returns the name of the grade, as it is serialised.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::McpServer => "mcp_server",
            Self::Web => "web",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An untrusted source of text.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{Grade, Source};
///
/// let source = Source::web("fetch", "https://example.org");
/// assert_eq!(source.grade, Grade::Web);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Source {
    /// The grade of the source.
    pub grade: Grade,
    /// The tool that returned the text.
    pub tool: ToolName,
    /// The URL or host of the text, or whatever else is known about its location.
    pub name: String,
    /// The MCP server that the text came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The names of patterns in the text that look like attempts to steer the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl Source {
    /// Creates the source of text from the network that a tool returned.
    pub fn web(tool: impl Into<ToolName>, name: impl Into<String>) -> Self {
        Self {
            grade: Grade::Web,
            tool: tool.into(),
            name: name.into(),
            server: None,
            flags: Vec::new(),
        }
    }

    /// Creates the source of text from an MCP server that a tool returned.
    pub fn server(
        tool: impl Into<ToolName>,
        server: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self {
            grade: Grade::McpServer,
            server: Some(server.into()),
            ..Self::web(tool, name)
        }
    }

    /// Sets the patterns that look like attempts to steer the model.
    #[must_use]
    pub fn with_flags(mut self, flags: Vec<String>) -> Self {
        self.flags = flags;
        self
    }

    fn is_same_place(&self, other: &Self) -> bool {
        (self.grade, &self.tool, &self.name, &self.server)
            == (other.grade, &other.tool, &other.name, &other.server)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.tool, self.name)?;
        if !self.flags.is_empty() {
            write!(f, " with {} in it", self.flags.join(", "))?;
        }
        Ok(())
    }
}

/// The provenance of a text or a conversation: the grade of the least trusted part, whether it contains private data,
/// and the untrusted sources.
///
/// Labels are only ever [joined](Self::join), so that a label covers everything that contributed to the text, however
/// long ago and through any number of summaries and delegates.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{Grade, Label, Source};
///
/// let mut label = Label::workspace();
/// label.join(&Label::from(Source::web("fetch", "https://example.org")));
/// assert_eq!((label.grade(), label.is_private()), (Grade::Web, true));
/// assert!(label.covers(&Label::workspace()));
/// assert_eq!(label.origin().as_deref(), Some("`fetch` (https://example.org)"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Label {
    grade: Grade,
    /// Whether the text contains data of the user's files, programs or servers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    private: bool,
    /// The untrusted sources, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Source>,
    /// Whether there were more sources than are listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

impl Label {
    /// Creates the label of text of the user, the app or helve itself.
    #[must_use]
    pub fn user() -> Self {
        Self::default()
    }

    /// Creates the label of the user's files and of the output of commands in the session's sandbox.
    #[must_use]
    pub fn workspace() -> Self {
        Self {
            grade: Grade::Workspace,
            private: true,
            ..Self::default()
        }
    }

    /// Marks the text as containing private data.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Returns the grade of the least trusted part.
    #[must_use]
    pub const fn grade(&self) -> Grade {
        self.grade
    }

    /// Returns whether the text contains data of the user's files, programs or servers.
    #[must_use]
    pub const fn is_private(&self) -> bool {
        self.private
    }

    /// Returns whether a part of the text may contain attempts to steer the model.
    #[must_use]
    pub const fn is_untrusted(&self) -> bool {
        self.grade.is_untrusted()
    }

    /// Returns whether the label is that of the user's own text.
    #[must_use]
    pub fn is_user(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the untrusted sources, the latest last.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Reports whether the text contains untrusted text from other sources than this MCP server.
    #[must_use]
    pub fn is_untrusted_outside(&self, server: &str) -> bool {
        let is_other = |source: &Source| source.server.as_deref() != Some(server);
        self.is_untrusted()
            && (self.more || self.grade == Grade::Web || self.sources.iter().any(is_other))
    }

    /// Joins another label: the less trusted grade applies, and the sources and flags of both are kept.
    pub fn join(&mut self, other: &Self) {
        self.grade = self.grade.max(other.grade);
        self.private |= other.private;
        self.more |= other.more;
        for source in &other.sources {
            self.add(source.clone());
        }
    }

    /// Returns the join with another label.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }

    /// Reports whether joining another label would not add any restriction to this one.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let names = |source: &Source| self.sources.iter().any(|known| known.is_same_place(source));
        self.grade >= other.grade
            && self.private >= other.private
            && self.more >= other.more
            && (self.more || other.sources.iter().all(names))
    }

    /// Returns the latest source with the least trusted grade; `None` if nothing is untrusted.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        if !self.is_untrusted() {
            return None;
        }
        let mut worst = self.sources.iter().rev();
        let worst = worst.find(|source| source.grade == self.grade);
        Some(worst.map_or_else(|| "an unknown source".to_owned(), ToString::to_string))
    }

    fn add(&mut self, mut source: Source) {
        let mut known = self.sources.iter();
        if let Some(at) = known.position(|known| known.is_same_place(&source)) {
            let mut known = self.sources.remove(at);
            known.flags.append(&mut source.flags);
            known.flags.sort();
            known.flags.dedup();
            source = known;
        }
        self.sources.push(source);
        if self.sources.len() > MAX_SOURCES {
            self.sources.remove(0);
            self.more = true;
        }
    }
}

impl From<Source> for Label {
    /// Creates the label of text from one source. Text from a server may contain private data of the user.
    fn from(source: Source) -> Self {
        Self {
            grade: source.grade,
            private: source.server.is_some(),
            sources: vec![source],
            more: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_one_server_restricts_calls_to_every_other_server() {
        let label = Label::from(Source::server("mcp__a__get", "a", "a"));
        assert!(!label.is_untrusted_outside("a"));
        assert!(label.is_untrusted_outside("b"));
        let both = label
            .clone()
            .joined(&Label::from(Source::server("mcp__b__get", "b", "b")));
        assert!(both.is_untrusted_outside("a") && both.is_untrusted_outside("b"));
        let web = label.joined(&Label::from(Source::web("fetch", "u")));
        assert!(web.is_untrusted_outside("a"));
        assert!(!Label::workspace().is_untrusted_outside("a"));
    }

    #[test]
    fn what_is_no_longer_named_still_counts() {
        let mut label = Label::default();
        for number in 0..=MAX_SOURCES {
            let server = format!("s{number}");
            label.join(&Label::from(Source::server("t", &*server, &*server)));
        }
        assert_eq!(label.sources().len(), MAX_SOURCES);
        assert!(label.is_untrusted_outside("s3"));
        assert!(label.covers(&Label::from(Source::server("t", "s0", "s0"))));
    }
}
