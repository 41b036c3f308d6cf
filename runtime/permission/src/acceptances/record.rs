//! One acceptance, and the list of acceptances as the file stores it.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::Difference;
use super::entry::{self, AcceptanceContent, ContentEntry, EntryKind};
use super::subject::{AcceptanceState, AcceptanceSubject};
use helve_storage::timestamp::Timestamp;

/// The version of the file format that this program reads and writes.
const VERSION: u32 = 1;

/// The kind of accepted content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AcceptanceKind {
    /// The allow rules in a project's rule file.
    RuleFile,
    /// Settings of a project that could do harm.
    SettingsFile,
    /// The MCP servers that a project configures.
    ServerFile,
    /// A command that a project defines.
    CommandFile,
    /// An agent that a project defines.
    AgentFile,
    /// The hooks that a project configures.
    HookFile,
    /// The descriptions that an MCP server sends of itself and its tools.
    McpServer,
    /// A skill with scan findings.
    Skill,
    /// A bundle of skills, agents, commands, hooks and MCP servers.
    Bundle,
    /// The folder of a project, whose texts may reach the memories of the user.
    ProjectFolder,
}

/// Content that a user accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Acceptance {
    /// The kind of the content.
    pub kind: AcceptanceKind,
    /// The name of the content at its origin: the path of a file in its project, or the name of a server or a skill.
    pub name: String,
    /// The origin of the content: the folder of a project, the address of a server, or the folder of a skill.
    pub origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The digest of the accepted content.
    pub digest: String,
    /// The user who accepted the content.
    pub accepted_by: String,
    /// The time of the acceptance.
    pub accepted_at: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) entries: Vec<ContentEntry>,
}

/// All acceptances, sorted by kind, name and origin.
#[derive(Debug, Clone, Default)]
pub struct AcceptanceList(pub(super) Vec<Acceptance>);

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptanceDocument<'a> {
    version: u32,
    accepted: Cow<'a, [Acceptance]>,
}

/// The part of the file that is read first, to check the version.
#[derive(Deserialize)]
struct DocumentHeader {
    version: u32,
}

impl Acceptance {
    /// Creates an acceptance with the current time and user.
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

    /// Returns the path of the accepted file, or `None` if the acceptance is not of a file.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        let path = || Path::new(&self.origin).join(&self.name);
        self.kind.is_file().then(path)
    }

    /// Returns the entries, sorted by kind and name.
    #[doc(hidden)]
    pub fn entries(&self) -> &[ContentEntry] {
        &self.entries
    }

    /// Returns the entry of this kind and name.
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

    /// Returns the acceptance of a subject.
    #[doc(hidden)]
    pub fn get(&self, subject: &AcceptanceSubject) -> Option<&Acceptance> {
        self.0.iter().find(|acceptance| acceptance.matches(subject))
    }

    /// Compares the current content of a subject with the accepted content.
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

    /// Returns the difference between the current content of a subject and the accepted content.
    #[doc(hidden)]
    pub fn difference(&self, subject: AcceptanceSubject, now: AcceptanceContent) -> Difference {
        let accepted = self.get(&subject);
        let elsewhere = self.elsewhere(&subject).filter(|_| accepted.is_none());
        Difference::new(subject, now, accepted, elsewhere)
    }

    /// Returns the acceptance of a subject of the same name with another origin. Files of projects are excluded, since
    /// they have the same names in every project.
    fn elsewhere(&self, subject: &AcceptanceSubject) -> Option<&Acceptance> {
        let is_other = |acceptance: &&Acceptance| {
            !acceptance.kind.is_file()
                && acceptance.kind == subject.kind
                && acceptance.name == subject.name
                && !acceptance.matches(subject)
        };
        self.0.iter().find(is_other)
    }

    /// Inserts an acceptance, and replaces an earlier one of the same subject.
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
    /// Reports whether the content is a file of a project.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(
            self,
            Self::RuleFile
                | Self::SettingsFile
                | Self::ServerFile
                | Self::CommandFile
                | Self::AgentFile
                | Self::HookFile
        )
    }
}

impl fmt::Display for AcceptanceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RuleFile => "rules",
            Self::SettingsFile => "settings",
            Self::ServerFile => "MCP servers",
            Self::CommandFile => "command",
            Self::AgentFile => "agent",
            Self::HookFile => "hooks",
            Self::McpServer => "MCP server",
            Self::Skill => "skill",
            Self::Bundle => "bundle",
            Self::ProjectFolder => "folder",
        })
    }
}

/// Returns the user of this process: the name from the environment, if there is one.
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
