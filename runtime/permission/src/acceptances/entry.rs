//! The content of one acceptance, and the entries from which a difference is computed.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use helve_core::support::hex;

/// The maximum length of an entry text that is stored beside its digest, in bytes. Stored texts serve to show later
/// changes.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// The maximum total length of the texts of one acceptance, in bytes.
const MAX_TOTAL_TEXT_BYTES: usize = 2 << 20;

/// The content of one acceptance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptanceContent {
    /// The digest of the whole content.
    pub(crate) digest: String,
    /// The displayed entries, sorted by kind and name.
    pub(crate) entries: Vec<ContentEntry>,
}

/// A part of accepted content: its digest, and its text if the text is short enough to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentEntry {
    pub(crate) kind: EntryKind,
    pub(crate) name: String,
    /// The digest of the entry's content; empty if the name is the whole content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The digest of a tool's hints, which only affect how much care a call takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hints: Option<String>,
    /// The text of the entry, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The summary of the entry, for display; it is not stored.
    #[serde(skip)]
    pub(crate) summary: Option<EntrySummary>,
}

/// What one line says of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntrySummary {
    /// The declared effects of a tool.
    pub(crate) effects: &'static str,
    /// The description of a tool.
    pub(crate) description: String,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryKind {
    /// The server's instructions for using its tools together.
    Instructions,
    /// A tool of a server.
    Tool,
    /// A skill of a server.
    Skill,
    /// A rule that allows calls.
    Rule,
    /// A setting.
    Setting,
    /// An MCP server that a file configures.
    Server,
    /// A command of a file, which is a prompt.
    Command,
    /// An agent of a file: its instructions and its limits.
    Agent,
    /// A hook of a file.
    Hook,
    /// A scan finding in a skill.
    Finding,
    /// A file of a skill.
    File,
}

/// The comparison of an entry with the accepted entry of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// The entry is unchanged.
    Accepted,
    /// Only the hints of the entry changed.
    HintsChanged,
    /// No entry of this name was accepted.
    New,
    /// An entry of this name with other content was accepted.
    Changed,
}

impl AcceptanceContent {
    /// Creates the content of a file from its bytes and the entries that need an acceptance.
    pub fn from_bytes(bytes: &[u8], entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        Self::with_digest(hex::encode(&Sha256::digest(bytes)), entries)
    }

    /// Creates content with a precomputed digest.
    pub fn with_digest(digest: String, entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        let mut entries: Vec<ContentEntry> = entries.into_iter().collect();
        entries.sort_by(|a, b| a.key().cmp(&b.key()));
        // Of entries with the same kind and name, the first is kept.
        entries.dedup_by(|next, first| next.key() == first.key());
        Self { digest, entries }
    }

    /// Creates content that consists only of its entries.
    pub fn from_entries(entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        let mut content = Self::with_digest(String::new(), entries);
        let fields = content.entries.iter().flat_map(|entry| {
            let hints = entry.hints.as_deref().unwrap_or_default();
            [entry.kind.name(), &entry.name, &entry.digest, hints]
        });
        content.digest = digest_of_fields(fields);
        content
    }

    /// Removes texts, the longest first, until the total size fits the limit: the file is read at each start.
    pub(super) fn trim_texts(mut self) -> Self {
        let length = |entry: &ContentEntry| entry.text.as_ref().map_or(0, String::len);
        let mut lengths: Vec<usize> = self.entries.iter().map(length).collect();
        let mut total: usize = lengths.iter().sum();
        lengths.sort_unstable();
        let mut longest = usize::MAX;
        while total > MAX_TOTAL_TEXT_BYTES
            && let Some(length) = lengths.pop()
        {
            total -= length;
            longest = length;
        }
        for entry in &mut self.entries {
            if length(entry) >= longest {
                entry.text = None;
            }
        }
        self
    }
}

impl ContentEntry {
    /// Creates an entry whose name is its whole content.
    pub fn from_name(kind: EntryKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            digest: String::new(),
            hints: None,
            text: None,
            summary: None,
        }
    }

    /// Creates an entry with a text.
    pub fn with_text(kind: EntryKind, name: impl Into<String>, text: &str) -> Self {
        Self::from_name(kind, name)
            .digest(digest_of_fields([text]))
            .text(text)
    }

    /// Returns the name.
    #[doc(hidden)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text, if it was short enough to be stored.
    #[doc(hidden)]
    pub fn stored_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Sets the digest of the entry's content.
    pub fn digest(mut self, digest: String) -> Self {
        self.digest = digest;
        self
    }

    /// Sets the digest of the tool's hints.
    pub fn hints(mut self, digest: String) -> Self {
        self.hints = Some(digest);
        self
    }

    /// Sets the text of the entry, for display. A text above the size limit is not stored.
    pub fn text(mut self, text: &str) -> Self {
        self.text = (text.len() <= MAX_TEXT_BYTES).then(|| text.to_owned());
        self
    }

    /// Sets the summary of a tool: its declared effects, and its description, of which the first line is shown.
    pub fn summary(mut self, effects: &'static str, description: impl Into<String>) -> Self {
        self.summary = Some(EntrySummary {
            effects,
            description: description.into(),
        });
        self
    }

    /// Compares the current entry with this accepted entry.
    pub fn state(&self, now: &Self) -> EntryState {
        if self.digest != now.digest {
            EntryState::Changed
        } else if self.hints == now.hints {
            EntryState::Accepted
        } else {
            EntryState::HintsChanged
        }
    }

    pub(super) fn key(&self) -> (EntryKind, &str) {
        (self.kind, &self.name)
    }
}

impl EntryKind {
    /// Returns the name of the kind.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Tool => "tool",
            Self::Skill => "skill",
            Self::Rule => "rule",
            Self::Setting => "setting",
            Self::Server => "server",
            Self::Command => "command",
            Self::Agent => "agent",
            Self::Hook => "hook",
            Self::Finding => "finding",
            Self::File => "file",
        }
    }
}

/// Finds an entry in a sorted slice.
pub(super) fn find<'e>(
    entries: &'e [ContentEntry],
    kind: EntryKind,
    name: &str,
) -> Option<&'e ContentEntry> {
    let index = entries.binary_search_by(|entry| entry.key().cmp(&(kind, name)));
    index.ok().map(|index| &entries[index])
}

/// Returns the digest of a sequence of texts. Each text is prefixed with its length, so that different sequences have
/// different inputs.
pub fn digest_of_fields<'t>(fields: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field);
    }
    hex::encode(&hasher.finalize())
}
