//! Postings: the messages of other processes to a session (answers to its questions, and results of its external
//! calls).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::journal::Timestamp;
use crate::setters::setters;
use helve_core::transcript::{CallAddress, Label};
use helve_permission::Decision;

/// A message of another process to a session, about one call.
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

    /// Adds the label of the sources of a result. A program that posts the output of another session or agent adds the
    /// label of [the report](crate::TurnReport::label), and the session that takes the result is bound by the label. An
    /// answer has no label.
    #[must_use]
    pub fn with_label(mut self, from: &Label) -> Self {
        if let Self::Result { label, .. } = &mut self {
            label.join(from);
        }
        self
    }

    /// Returns what was posted, for messages.
    pub(super) fn wanted(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "an answer",
            Self::Result { .. } => "a result",
        }
    }

    /// Returns the call that the posting refers to.
    #[must_use]
    pub fn call(&self) -> &CallAddress {
        match self {
            Self::Answer { call, .. } | Self::Result { call, .. } => call,
        }
    }
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
    /// The idempotency key: a posting with the key of an earlier one for the same call is the same posting.
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
    /// The call that the posting referred to.
    pub call: CallAddress,
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
            call: posted.posting.call().clone(),
            header: header.clone(),
        })
    }
}
