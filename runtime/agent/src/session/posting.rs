//! Postings: the messages of other processes to a session (answers to its questions, results of its external calls, what
//! is said to its agent, and requests to stop).

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::journal::Timestamp;
use crate::note_queue::Delivery;
use crate::setters::setters;
use helve_core::transcript::{CallAddress, Label, Note, NoteSource, Origin, TurnId};
use helve_permission::Decision;

/// A message of another process to a session: about one call, for the agent, or about the turn.
///
/// ```
/// use helve::agent::Delivery;
/// use helve::agent::session::{MemoryStore, Posting, PostingTarget, SessionMetadata, Sessions};
/// use helve::transcript::{Note, NoteSource};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::session::SessionError> {
/// let sessions = Sessions::new(MemoryStore::new());
/// let id = sessions.create(SessionMetadata::new("example")).await?.id().clone();
/// let say = Posting::say(Note::new(NoteSource::User, "n1", "In French, please."), Delivery::Now);
/// sessions.post(&id, say.clone()).await?;
/// // The same note is the same message.
/// sessions.post(&id, say).await?;
/// assert_eq!(sessions.postings(&id).await?.len(), 1);
/// assert!(sessions.revoke(&id, &PostingTarget::Say("n1".to_owned())).await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Posting {
    /// The answer to a question.
    Answer {
        /// The call that the question refers to.
        call: CallAddress,
        /// The answer.
        decision: Decision,
    },
    /// The result of a call that is executed externally.
    Result {
        /// The call.
        call: CallAddress,
        /// The result; the driver checks it against the output schema of the tool.
        result: Value,
        /// The label of the sources of the result besides the tool; by default that of the user's own text.
        #[serde(default, skip_serializing_if = "Label::is_user")]
        label: Label,
    },
    /// A note for the agent. The turn at work records it before its next model call; otherwise, the next turn does.
    Say {
        /// The note. A session records its id once, however often it is posted.
        note: Note,
        /// Whether the turn at work reads the note.
        delivery: Delivery,
    },
    /// A request to stop a turn, as if its user had interrupted it.
    Stop {
        /// The turn, which works for no other turn. A later turn is not stopped.
        turn: TurnId,
    },
}

/// What a posting is about. A session has one pending posting for each target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PostingTarget {
    /// A call.
    Call(CallAddress),
    /// The id of a note.
    Say(String),
    /// A turn that is to stop.
    Stop(TurnId),
}

impl fmt::Display for PostingTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => call.fmt(f),
            Self::Say(id) => f.write_str(id),
            Self::Stop(turn) => turn.fmt(f),
        }
    }
}

impl Posting {
    /// Creates the posting of an answer. Only a person's answer may be posted: the text of an agent or of another
    /// session must not answer a question.
    #[must_use]
    pub const fn answer(call: CallAddress, decision: Decision) -> Self {
        Self::Answer { call, decision }
    }

    /// Creates the posting of a result.
    #[must_use]
    pub fn result(call: CallAddress, result: Value) -> Self {
        Self::Result {
            call,
            result,
            label: Label::user(),
        }
    }

    /// Creates the posting of a note for the agent. What an agent, a job or a program says is a note with that
    /// [source](NoteSource), and never the prompt of the user.
    #[must_use]
    pub const fn say(note: Note, delivery: Delivery) -> Self {
        Self::Say { note, delivery }
    }

    /// Creates the posting that stops a turn.
    #[must_use]
    pub const fn stop(turn: TurnId) -> Self {
        Self::Stop { turn }
    }

    /// Adds the label of the sources of a result. A program that posts the output of another session or agent adds the
    /// label of [the report](crate::TurnReport::label), and the session that takes the result is bound by the label. An
    /// answer and a request to stop have no label.
    #[must_use]
    pub fn with_label(mut self, from: &Label) -> Self {
        match &mut self {
            Self::Result { label, .. } => label.join(from),
            Self::Say { note, .. } => note.label.join(from),
            Self::Answer { .. } | Self::Stop { .. } => {}
        }
        self
    }

    /// Returns what was posted, for messages.
    pub(super) fn wanted(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "an answer",
            Self::Result { .. } => "a result",
            Self::Say { .. } => "a message",
            Self::Stop { .. } => "a request to stop",
        }
    }

    /// Returns the call that the posting refers to; `None` if the posting is about no call.
    #[must_use]
    pub fn call(&self) -> Option<&CallAddress> {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => Some(call),
            Self::Say { .. } | Self::Stop { .. } => None,
        }
    }

    /// Returns what the posting is about.
    #[must_use]
    pub fn target(&self) -> PostingTarget {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => {
                PostingTarget::Call(call.clone())
            }
            Self::Say { note, .. } => PostingTarget::Say(note.id.clone()),
            Self::Stop { turn } => PostingTarget::Stop(turn.clone()),
        }
    }

    /// Reports whether the turn with this origin takes the posting. Notes are for the turn of the session.
    pub(crate) fn is_for(&self, origin: &Origin) -> bool {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => call.turn == origin.turn,
            Self::Say { .. } => origin.parent_call.is_none(),
            Self::Stop { turn } => *turn == origin.turn,
        }
    }

    /// Returns the mistake in a posting that no session can take.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let Self::Say { note, .. } = self else {
            return None;
        };
        if note.text.trim().is_empty() {
            Some("the message is empty")
        } else if note.id.is_empty() {
            Some("the message has no id")
        } else if !is_said(note.source) {
            Some("only users, agents, jobs and the memory say something")
        } else {
            None
        }
    }
}

/// Reports whether notes of a source are said, rather than added by the runtime, a hook or a guard.
pub(super) const fn is_said(source: NoteSource) -> bool {
    matches!(
        source,
        NoteSource::User | NoteSource::Agent | NoteSource::Job | NoteSource::Memory
    )
}

/// What a posting says about itself: its author, its key, its time, and the question that was shown.
///
/// ```
/// use helve::agent::session::PostingHeader;
///
/// let header = PostingHeader::new().author("ada").key("click-17");
/// assert_eq!(serde_json::to_string(&header)?, r#"{"author":"ada","key":"click-17"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PostingHeader {
    /// The name of the person or program that posts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The idempotency key: a posting with the key of an earlier one about the same is the same posting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The time of the posting; [`Sessions::post_with`](super::Sessions::post_with) sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The [digest](super::WaitingCall::digest) of the question that the author has seen. If the question has changed
    /// since, the posting is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

impl PostingHeader {
    /// Creates a header without any information.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name of the person or program that posts.
        author(author: impl Into<String>) => author = Some(author.into());

        /// Sets the idempotency key.
        key(key: impl Into<String>) => key = Some(key.into());

        /// Sets the digest of the question that the author has seen.
        shown(digest: impl Into<String>) => shown = Some(digest.into());
    }
}

/// A posting that was read; the store keeps the posting until its record is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedPosting {
    /// The posting.
    pub posting: Posting,
    /// What the posting says about itself.
    pub header: PostingHeader,
    /// The location of the posting in the store.
    pub location: String,
}

impl ReceivedPosting {
    /// Returns the key by which postings are ordered: by what they are about, and notes by their times.
    pub(super) fn order(&self) -> (Option<Timestamp>, PostingTarget) {
        let at = match self.posting {
            Posting::Say { .. } => self.header.at,
            _ => None,
        };
        (at, self.posting.target())
    }

    /// Creates a received posting with its location in the store.
    pub fn new(posting: Posting, place: impl Into<String>) -> Self {
        Self {
            posting,
            header: PostingHeader::default(),
            location: place.into(),
        }
    }

    /// Sets what the posting says about itself.
    #[must_use]
    pub fn with_header(mut self, header: PostingHeader) -> Self {
        self.header = header;
        self
    }
}

/// The receipt of a posting that was accepted: its record is written.
///
/// A store keeps receipts, so that a posting that is sent twice is accepted once, and so that a later one
/// is told who was first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PostingReceipt {
    /// What the posting was about.
    #[serde(flatten)]
    pub target: PostingTarget,
    /// What the posting said about itself.
    #[serde(flatten)]
    pub header: PostingHeader,
}

impl PostingReceipt {
    /// Creates the receipt of a posting; `None` if it has neither an author nor a key, and nothing is to be kept.
    #[must_use]
    pub fn from_posting(posted: &ReceivedPosting) -> Option<Self> {
        let header = &posted.header;
        (header.author.is_some() || header.key.is_some()).then(|| Self {
            target: posted.posting.target(),
            header: header.clone(),
        })
    }
}
