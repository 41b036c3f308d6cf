//! What is asked for in past sessions, and what is found.

use helve_agent::journal::Timestamp;
use helve_core::support::text::first_chars;
use helve_core::tool::Principal;
use helve_core::transcript::{Label, SessionId, TurnId};
use helve_text_index::Snippet;
use serde::{Deserialize, Serialize, Serializer};

use crate::message::MessageRole;

/// What to search for in past sessions.
///
/// The question consists of words and of phrases in quotation marks. By default, all messages of users and models are
/// searched, and neither calls nor results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionQuery {
    /// The question.
    pub text: String,
    /// The most messages to find.
    pub limit: usize,
    /// The principal whose sessions are searched; all if there is none.
    pub principal: Option<Principal>,
    /// The folder whose sessions are searched; all if there is none.
    pub folder: Option<String>,
    /// The session that is searched; all if there is none.
    pub session: Option<SessionId>,
    /// A session that is not searched, such as the current one.
    pub excluded: Option<SessionId>,
    /// The roles of the messages that are searched; those of the user and the model if there are none.
    pub roles: Vec<MessageRole>,
    /// The earliest time of a message.
    pub since: Option<Timestamp>,
    /// The time before which messages are found.
    pub before: Option<Timestamp>,
}

impl SessionQuery {
    /// Creates a query for at most `limit` messages.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            limit,
            ..Self::default()
        }
    }

    /// Sets the principal whose sessions are searched.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Sets the folder whose sessions are searched.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<String>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets the session that is searched.
    #[must_use]
    pub fn session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Sets a session that is not searched.
    #[must_use]
    pub fn excluded(mut self, session: SessionId) -> Self {
        self.excluded = Some(session);
        self
    }

    /// Sets the roles of the messages that are searched.
    #[must_use]
    pub fn roles(mut self, roles: impl IntoIterator<Item = MessageRole>) -> Self {
        self.roles = roles.into_iter().collect();
        self
    }

    /// Sets the earliest time of a message.
    #[must_use]
    pub fn since(mut self, time: Timestamp) -> Self {
        self.since = Some(time);
        self
    }

    /// Sets the time before which messages are found.
    #[must_use]
    pub fn before(mut self, time: Timestamp) -> Self {
        self.before = Some(time);
        self
    }
}

/// A message that was found. As JSON, the snippet is its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionHit {
    /// The session.
    pub session: SessionId,
    /// The beginning of the first message of the session.
    pub title: String,
    /// The folder in which the tools of the session worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The turn.
    pub turn: TurnId,
    /// The number of the entry of the journal.
    pub entry: u64,
    /// The role of the message.
    pub role: MessageRole,
    /// When the message was recorded.
    pub at: Timestamp,
    /// The part of the message that has what was asked for.
    #[serde(serialize_with = "serialize_text")]
    pub snippet: Snippet,
    /// The score, which is greater for better matches and only comparable within one search.
    pub score: f64,
    /// The beginning of the message before, of the user or the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Excerpt>,
    /// The beginning of the message after, of the user or the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Excerpt>,
    /// The provenance of the texts.
    pub label: Label,
}

fn serialize_text<S: Serializer>(snippet: &Snippet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&snippet.text)
}

/// The beginning of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Excerpt {
    /// The role of the message.
    pub role: MessageRole,
    /// The beginning of the text, on one line.
    pub text: String,
}

impl Excerpt {
    /// The length of the longest text, in characters.
    const MAX_CHARS: usize = 120;

    pub(crate) fn new(role: MessageRole, text: &str) -> Self {
        let text = one_line(text, Self::MAX_CHARS);
        Self { role, text }
    }
}

/// Returns the beginning of a text, on one line.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = first_chars(text, most * 4).split_whitespace().collect();
    let line = words.join(" ");
    let cut = first_chars(&line, most);
    match cut.len() < line.len() {
        true => format!("{}…", cut.trim_end()),
        false => line,
    }
}

/// What the index stores about a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MessageData {
    pub(crate) turn: TurnId,
    pub(crate) entry: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Label::is_user")]
    pub(crate) label: Label,
}
