//! One acceptance, and all of them as the file holds them.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::Difference;
use super::entry::{self, AcceptanceContent, ContentEntry, EntryKind};
use super::subject::{AcceptanceState, AcceptanceSubject};
use helve_storage::timestamp::Timestamp;

/// The version of the file that this program reads and writes.
const VERSION: u32 = 1;

/// What a person accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AcceptanceKind {
    /// What the rule file of a project allows.
    RuleFile,
    /// Settings of a project that could do harm.
    SettingsFile,
    /// The MCP servers that a project names.
    ServerFile,
    /// What an MCP server says of itself and its tools.
    McpServer,
    /// A skill in which a scan found something.
    Skill,
}

/// Something that a person accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Acceptance {
    /// What it is.
    pub kind: AcceptanceKind,
    /// What it is called where it comes from: the path of a file in its project, the name of a server or a skill.
    pub name: String,
    /// Where it comes from: the folder of a project, how a server is reached, the folder of a skill.
    pub origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The digest of what was accepted.
    pub digest: String,
    /// The user who accepted it.
    pub accepted_by: String,
    /// When they did.
    pub accepted_at: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<ContentEntry>,
}

/// Everything that was accepted, sorted by kind, name and origin.
#[derive(Debug, Clone, Default)]
pub struct AcceptanceList(pub(super) Vec<Acceptance>);

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptanceDocument<'a> {
    version: u32,
    accepted: Cow<'a, [Acceptance]>,
}

/// What of the file is read first.
#[derive(Deserialize)]
struct DocumentHeader {
    version: u32,
}

impl Acceptance {
    /// Creates the acceptance of this moment.
    fn new(subject: &AcceptanceSubject, content: &AcceptanceContent) -> Self {
        let content = content.clone().trim_texts();
        Self {
            kind: subject.kind,
            name: subject.name.clone(),
            origin: subject.origin.clone(),
            key: subject.key.clone(),
            digest: content.digest,
            accepted_by: user(),
            accepted_at: Timestamp::now(),
            entries: content.entries,
        }
    }

    /// Returns the path of the file that it is of, where it is of one.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        let path = || Path::new(&self.origin).join(&self.name);
        self.kind.is_file().then(path)
    }

    /// Returns an entry of it.
    #[doc(hidden)]
    pub fn entry(&self, kind: EntryKind, name: &str) -> Option<&ContentEntry> {
        entry::find(&self.entries, kind, name)
    }

    #[doc(hidden)]
    pub fn matches(&self, subject: &AcceptanceSubject) -> bool {
        self.kind == subject.kind
            && self.name == subject.name
            && match &subject.key {
                Some(_) => self.key == subject.key,
                None => self.origin == subject.origin,
            }
    }
}

impl AcceptanceList {
    pub(super) fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        let DocumentHeader { version } = serde_json::from_slice(text)?;
        if version != VERSION {
            return Err(serde_json::Error::custom(format_args!(
                "the file has version {version}, but this program reads version {VERSION}"
            )));
        }
        let document: AcceptanceDocument<'_> = serde_json::from_slice(text)?;
        let mut accepted = document.accepted.into_owned();
        for acceptance in &mut accepted {
            acceptance.entries.sort_by(|a, b| a.key().cmp(&b.key()));
        }
        Ok(Self(accepted))
    }

    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(&AcceptanceDocument {
            version: VERSION,
            accepted: Cow::Borrowed(&self.0),
        })
    }

    /// Returns what was accepted of something.
    #[doc(hidden)]
    pub fn get(&self, subject: &AcceptanceSubject) -> Option<&Acceptance> {
        self.0.iter().find(|acceptance| acceptance.matches(subject))
    }

    /// Compares what something says now with what was accepted of it.
    pub(crate) fn state(
        &self,
        subject: &AcceptanceSubject,
        content: &AcceptanceContent,
    ) -> AcceptanceState {
        match self.get(subject) {
            Some(accepted) if accepted.digest == content.digest => AcceptanceState::Accepted,
            Some(_) => AcceptanceState::Changed,
            None => AcceptanceState::Missing,
        }
    }

    /// Returns the difference between what something says now and what was accepted of it.
    #[doc(hidden)]
    pub fn difference(&self, subject: AcceptanceSubject, now: AcceptanceContent) -> Difference {
        let accepted = self.get(&subject);
        let elsewhere = self.elsewhere(&subject).filter(|_| accepted.is_none());
        Difference::new(subject, now, accepted, elsewhere)
    }

    /// Returns what was accepted of something of the same name that comes from elsewhere. The files of projects have the
    /// same names everywhere.
    fn elsewhere(&self, subject: &AcceptanceSubject) -> Option<&Acceptance> {
        let is_other = |acceptance: &&Acceptance| {
            !acceptance.kind.is_file()
                && acceptance.kind == subject.kind
                && acceptance.name == subject.name
                && !acceptance.matches(subject)
        };
        self.0.iter().find(is_other)
    }

    /// Puts an acceptance in the place of an earlier one of the same.
    pub(super) fn insert(&mut self, subject: &AcceptanceSubject, content: &AcceptanceContent) {
        self.0.retain(|other| !other.matches(subject));
        self.0.push(Acceptance::new(subject, content));
        let order = |one: &Acceptance| (one.kind, one.name.clone(), one.origin.clone());
        self.0.sort_by_cached_key(order);
    }

    pub(super) fn remove(&mut self, is_removed: impl Fn(&Acceptance) -> bool) -> Vec<Acceptance> {
        self.0.extract_if(.., |one| is_removed(one)).collect()
    }
}

impl AcceptanceKind {
    /// Reports whether it is a file of a project.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, Self::RuleFile | Self::SettingsFile | Self::ServerFile)
    }
}

impl fmt::Display for AcceptanceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RuleFile => "rules",
            Self::SettingsFile => "settings",
            Self::ServerFile => "MCP servers",
            Self::McpServer => "MCP server",
            Self::Skill => "skill",
        })
    }
}

/// Returns the user of this process, by name where the environment gives one.
fn user() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    let mut values = names.filter_map(|name| std::env::var(name).ok());
    let named = values.find(|value| !value.is_empty());
    named.unwrap_or_else(user_id)
}

#[cfg(unix)]
fn user_id() -> String {
    format!("uid {}", rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn user_id() -> String {
    "unknown".to_owned()
}
