//! What the index stores about a session that it follows.

use std::borrow::Cow;

use helve_agent::journal::{Line, Position, Timestamp};
use helve_agent::session::{Entry, SessionMetadata};
use helve_core::support::hex;
use helve_core::support::text::first_bytes;
use helve_core::tool::Principal;
use helve_core::transcript::{Label, Source};
use helve_text_index::{Document, IndexBatch, TextIndexError};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::hit::{MessageData, one_line};
use crate::message::{MessageReader, MessageRole, SessionMessage};

/// The length of the longest title, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// The length of the longest state that is stored with all sources of its labels, in bytes.
const MAX_STAMP_BYTES: usize = 12 << 10;

/// The state of a session that is followed, which is stored with its position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FollowedSession {
    /// The position after the last entry that was read.
    pub(crate) seq: u64,
    pub(crate) bytes: u64,
    /// The length of a journal that cannot be read on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) damaged_at: Option<u64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    scope: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    /// The number of the first entries that are copies of those of another session.
    #[serde(default)]
    copied: u64,
    #[serde(flatten)]
    messages: MessageReader,
}

impl FollowedSession {
    /// Reads the state that was stored; `None` where an older program stored another one.
    pub(crate) fn from_stamp(stamp: &str) -> Option<Self> {
        serde_json::from_str(stamp).ok()
    }

    pub(crate) fn position(&self) -> Position {
        Position::new(self.seq, self.bytes)
    }

    /// Returns the state as text.
    pub(crate) fn to_stamp(&self) -> String {
        let stamp = serde_json::to_string(self).unwrap_or_default();
        if stamp.len() <= MAX_STAMP_BYTES {
            return stamp;
        }
        let mut short = self.clone();
        short.messages.shorten(short_label);
        serde_json::to_string(&short).unwrap_or_default()
    }

    /// Puts the messages of an entry into a batch.
    pub(crate) fn read(
        &mut self,
        session: &str,
        line: &Line<Entry>,
        batch: &mut IndexBatch,
    ) -> Result<(), TextIndexError> {
        if let Entry::Created(about) = &line.entry {
            self.scope = scope(&about.principal, about.folder.as_deref());
            self.copied = about.forked_from.as_ref().map_or(0, |fork| fork.entry);
            self.title = job_title(about);
        }
        let mut messages = Vec::new();
        self.messages.read(line, |message| messages.push(message));
        for (part, message) in messages.into_iter().enumerate() {
            if self.title.is_empty() && message.role == MessageRole::User {
                // What a scheduled run is told besides its prompt is no title.
                let prompt = message.text.split("\n\n<scheduled_task ").next();
                self.title = one_line(prompt.unwrap_or_default(), MAX_TITLE_CHARS);
            }
            if line.seq > self.copied {
                batch.put(self.document(session, part, message))?;
            }
        }
        Ok(())
    }

    fn document(&self, session: &str, part: usize, message: SessionMessage) -> Document {
        let key = format!("{session}/{}/{part}", message.entry);
        let data = MessageData {
            turn: message.turn,
            entry: message.entry,
            title: self.title.clone(),
            label: message.label,
        };
        // A label consists of names and texts.
        let data = serde_json::to_string(&data).unwrap_or_default();
        Document::new(key, "", message.text)
            .source(session)
            .scope(self.scope.clone())
            .kind(message.role.name())
            .time(millis(message.at))
            .data(data)
    }
}

fn job_title(about: &SessionMetadata) -> String {
    let label = about.job.as_ref().and_then(|job| job.label.clone());
    label.unwrap_or_default()
}

/// Returns the scope of the sessions of a principal in a folder.
fn scope(principal: &Principal, folder: Option<&str>) -> String {
    let folder = folder.map(shorten).unwrap_or_default();
    format!("{}{folder}", principal_scope(principal))
}

/// Shortens a part of a scope that would exceed the limit of the index: to its beginning, and a digest of the whole.
pub(crate) fn shorten(part: &str) -> Cow<'_, str> {
    /// The greatest length of a part, of which there are two.
    const MAX_BYTES: usize = 500;
    if part.len() <= MAX_BYTES {
        return Cow::Borrowed(part);
    }
    let digest = hex::encode(&Sha256::digest(part));
    let first = first_bytes(part, MAX_BYTES - digest.len() - "…".len());
    Cow::Owned(format!("{first}…{digest}"))
}

/// Returns what the scopes of the sessions of a principal begin with.
pub(crate) fn principal_scope(principal: &Principal) -> String {
    let parts = [
        &principal.user,
        &principal.platform,
        &principal.team,
        &principal.tenant,
    ];
    // As JSON, in which a part cannot look like two.
    let parts = serde_json::to_string(&parts).unwrap_or_default();
    format!("{}\n", shorten(&parts))
}

/// Returns the folder of a scope.
pub(crate) fn scope_folder(scope: &str) -> Option<&str> {
    let (_, folder) = scope.split_once('\n')?;
    (!folder.is_empty()).then_some(folder)
}

pub(crate) fn millis(time: Timestamp) -> i64 {
    i64::try_from(time.millis()).unwrap_or(i64::MAX)
}

/// Returns a label of the same grade with one source at most.
fn short_label(label: &Label) -> Label {
    let worst = label.sources().iter().max_by_key(|source| source.grade);
    let short = match worst {
        Some(source) => {
            let mut source = Source::clone(source);
            source.flags.clear();
            source.name = first_bytes(&source.name, 200).to_owned();
            Label::from(source)
        }
        None if label.is_user() => Label::user(),
        None => Label::workspace(),
    };
    if label.is_private() {
        short.private()
    } else {
        short
    }
}
