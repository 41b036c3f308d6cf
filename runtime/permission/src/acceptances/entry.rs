//! What a person accepts at once, and the parts of it that a difference is shown by.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use helve_core::support::hex;

/// The most bytes of one text that are kept beside its digest, to show later what has changed.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// The most bytes of all texts of one acceptance.
const MAX_TOTAL_TEXT_BYTES: usize = 2 << 20;

/// What a person accepts at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptanceContent {
    /// The digest of all of it.
    pub(crate) digest: String,
    /// The parts that are shown, sorted by kind and name.
    pub(crate) entries: Vec<ContentEntry>,
}

/// A part of what is accepted: its digest, and its text if that is short enough to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentEntry {
    pub(crate) kind: EntryKind,
    pub(crate) name: String,
    /// The digest of what it says; empty where the name says all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The digest of the hints of a tool, which are only about how much care a call takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hints: Option<String>,
    /// What it says, written for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryKind {
    /// How the tools of a server are to be used together.
    Instructions,
    /// A tool of a server.
    Tool,
    /// A skill of a server.
    Skill,
    /// A rule that allows calls.
    Rule,
    /// A setting.
    Setting,
    /// An MCP server that a file names.
    Server,
    /// What a scan found in a skill.
    Finding,
    /// A file of a skill.
    File,
}

/// How an entry compares with the one of its name that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// It is as it was accepted.
    Accepted,
    /// It is, but for its hints.
    HintsChanged,
    /// Nothing of that name was accepted.
    New,
    /// Something else of that name was accepted.
    Changed,
}

impl AcceptanceContent {
    /// Takes down a file, with the parts of it that need an acceptance.
    pub fn from_bytes(bytes: &[u8], entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        Self::with_digest(hex::encode(&Sha256::digest(bytes)), entries)
    }

    /// Takes down something that has a digest of its own.
    pub fn with_digest(digest: String, entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        let mut entries: Vec<ContentEntry> = entries.into_iter().collect();
        entries.sort_by(|a, b| a.key().cmp(&b.key()));
        // Of two of one name, the first counts.
        entries.dedup_by(|next, first| next.key() == first.key());
        Self { digest, entries }
    }

    /// Takes down something that is nothing but its parts.
    pub fn from_entries(entries: impl IntoIterator<Item = ContentEntry>) -> Self {
        let mut content = Self::with_digest(String::new(), entries);
        let fields = content.entries.iter().flat_map(|entry| {
            let hints = entry.hints.as_deref().unwrap_or_default();
            [entry.kind.name(), &entry.name, &entry.digest, hints]
        });
        content.digest = digest_of_fields(fields);
        content
    }

    /// Leaves out texts, the longest first, until the rest is not too much for a file that is read at each start.
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
    /// Takes down something whose name says all.
    pub fn from_name(kind: EntryKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            digest: String::new(),
            hints: None,
            text: None,
        }
    }

    /// Takes down a text.
    pub fn with_text(kind: EntryKind, name: impl Into<String>, text: &str) -> Self {
        Self::from_name(kind, name)
            .digest(digest_of_fields([text]))
            .text(text)
    }

    /// Sets the digest of what it says.
    pub fn digest(mut self, digest: String) -> Self {
        self.digest = digest;
        self
    }

    /// Sets the digest of its hints.
    pub fn hints(mut self, digest: String) -> Self {
        self.hints = Some(digest);
        self
    }

    /// Sets what it says, written for a person; what is too long is not kept.
    pub fn text(mut self, text: &str) -> Self {
        self.text = (text.len() <= MAX_TEXT_BYTES).then(|| text.to_owned());
        self
    }

    /// Compares what is there now with this, which was accepted.
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
    /// Returns what it is called.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Tool => "tool",
            Self::Skill => "skill",
            Self::Rule => "rule",
            Self::Setting => "setting",
            Self::Server => "server",
            Self::Finding => "finding",
            Self::File => "file",
        }
    }
}

/// Finds an entry among some that are sorted.
pub(super) fn find<'e>(
    entries: &'e [ContentEntry],
    kind: EntryKind,
    name: &str,
) -> Option<&'e ContentEntry> {
    let index = entries.binary_search_by(|entry| entry.key().cmp(&(kind, name)));
    index.ok().map(|index| &entries[index])
}

/// Returns the digest of some texts, each with its length before it, so that no text can pass for two.
pub fn digest_of_fields<'t>(fields: impl IntoIterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field);
    }
    hex::encode(&hasher.finalize())
}
