//! Entries of the memory: a text, and what is known of its author.

use std::fmt;
use std::str::FromStr;

use helve_core::transcript::{Grade, Label, Source};
use helve_storage::timestamp::Timestamp;
use serde::Serialize;

use crate::path::MemoryPath;

/// Declares an enum whose variants have names in front matter.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            /// Returns the name, as it is written in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = UnknownMemoryWord;

            fn from_str(text: &str) -> Result<Self, UnknownMemoryWord> {
                match text { $($text => Ok(Self::$variant),)* _ => Err(UnknownMemoryWord(text.to_owned())) }
            }
        }
    };
}

/// The error of a word that has no meaning in front matter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown word `{0}` in the front matter")]
pub struct UnknownMemoryWord(String);

named! {
    /// What an entry is about.
    MemoryKind {
        /// The user: preferences, role, knowledge.
        User = "user",
        /// What the user said about the work of the agent.
        Feedback = "feedback",
        /// The project: decisions, deadlines, the state of the work.
        Project = "project",
        /// Where something is found.
        Reference = "reference",
        /// Anything else.
        Fact = "fact",
    }
}

named! {
    /// How far the text of an entry can be trusted: the least trusted text that contributed to it. A greater trust level is
    /// trusted less.
    MemoryTrust {
        /// A person wrote it.
        Said = "said",
        /// A model concluded it from a conversation with the user.
        Inferred = "inferred",
        /// It comes from files and commands of the project.
        Tool = "tool",
        /// It comes from the web, an MCP server or an unknown source.
        Outside = "outside",
    }
}

named! {
    /// Who wrote an entry.
    MemoryAuthor {
        /// A person.
        Person = "person",
        /// A model.
        Model = "model",
        /// The import from another program.
        Import = "import",
    }
}

impl MemoryTrust {
    /// Returns the trust in what a model writes after it has read text with a label.
    #[must_use]
    pub fn from_label(label: &Label) -> Self {
        match label.grade() {
            Grade::User => Self::Inferred,
            Grade::Workspace => Self::Tool,
            _ => Self::Outside,
        }
    }

    /// Describes the trust for a reader.
    #[must_use]
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Said => "written by the user",
            Self::Inferred => "noted by a model in a conversation with the user",
            Self::Tool => "from files or commands of the project",
            Self::Outside => "from outside, accepted by the user",
        }
    }
}

/// Where an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemorySource {
    /// The author.
    pub by: MemoryAuthor,
    /// The session; empty outside of one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The address of the call in the session; empty outside of one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The least trusted source of text that the author had read; empty if all text was trusted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub origin: String,
}

impl MemorySource {
    /// Creates the source of what a person writes.
    #[must_use]
    pub fn person() -> Self {
        Self::new(MemoryAuthor::Person)
    }

    pub(crate) fn new(by: MemoryAuthor) -> Self {
        Self {
            by,
            session: String::new(),
            call: String::new(),
            origin: String::new(),
        }
    }
}

/// An entry of the memory, which is one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryEntry {
    /// The title, in one line. Without one in the front matter, it is the first line of the text.
    pub title: String,
    /// What the entry is about.
    pub kind: MemoryKind,
    /// How far it can be trusted.
    pub trust: MemoryTrust,
    /// Where it comes from.
    pub source: MemorySource,
    /// The time at which it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The time at which its text was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// The time at which a person accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Timestamp>,
    /// The time from which it is no longer recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The id of the entry that this one replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Lines of the front matter that have no meaning here; they are preserved.
    #[serde(skip)]
    pub(crate) other: Vec<String>,
    /// The text, without front matter.
    pub text: String,
}

impl MemoryEntry {
    /// Creates an entry that a person wrote.
    ///
    /// ```
    /// use helve::memory::{MemoryEntry, MemoryKind};
    ///
    /// let entry = MemoryEntry::new("Tabs", "Ann prefers tabs.").with_kind(MemoryKind::User);
    /// assert_eq!(entry.title, "Tabs");
    /// ```
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            title: one_line(&title.into()),
            kind: MemoryKind::Fact,
            trust: MemoryTrust::Said,
            source: MemorySource::person(),
            created: None,
            updated: None,
            confirmed: None,
            expires: None,
            replaces: None,
            other: Vec::new(),
            text: text.into(),
        }
    }

    /// Sets what the entry is about.
    #[must_use]
    pub fn with_kind(mut self, kind: MemoryKind) -> Self {
        self.kind = kind;
        self
    }

    /// Returns the label of the text. Text from outside restricts what a model may do after it was recalled.
    #[must_use]
    pub fn label(&self, path: &MemoryPath) -> Label {
        match self.trust {
            MemoryTrust::Said | MemoryTrust::Inferred => Label::user().private(),
            MemoryTrust::Tool => Label::workspace(),
            MemoryTrust::Outside => Label::from(Source::web("memory", path.id())).private(),
        }
    }

    /// Returns whether the entry is no longer recalled at a time.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Returns the time of the latest change that is known.
    #[must_use]
    pub fn changed(&self) -> Option<Timestamp> {
        self.confirmed.max(self.updated).max(self.created)
    }
}

/// Renders a text on one line of at most 200 characters.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = line.trim_start_matches(['#', ' ', '-', '*']);
    let shown = line.chars().filter(|c| !c.is_control()).take(200);
    shown.collect::<String>().trim().to_owned()
}
