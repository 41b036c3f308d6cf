//! What a turn came to.

use crate::agent::session::SessionError;
use crate::agent::turn::{EndReason, Totals};
use crate::results::conversation_label;
use crate::tool::chain_text;
use crate::transcript::{CallAddress, Label, Message};

/// What a turn came to, or what it waits for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TurnReport {
    /// Where the turn stands.
    pub status: TurnStatus,
    /// What went wrong, where something did.
    pub error: Option<String>,
    /// The conversation, with what the turn added.
    pub messages: Vec<Message>,
    /// What the turn used up, its delegates included.
    pub totals: Totals,
    /// What the conversation is made of.
    pub label: Label,
}

/// Where a turn stands when its driver lets go of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnStatus {
    /// It is over.
    Ended(EndReason),
    /// It waits for answers or results that come from elsewhere. Its session can be put away and gone on with when they
    /// are there.
    Waiting {
        /// The calls that somebody has to allow or reject.
        approvals: Vec<CallAddress>,
        /// The calls whose results somebody has to hand in.
        external: Vec<CallAddress>,
    },
    /// It could not be recorded, so that nothing more may be done. What is recorded can be gone on with.
    Unrecorded,
}

impl TurnReport {
    /// Makes the report of a turn that a [hook](crate::agent::Hook::reply) ends in the place of what is inside, with the
    /// conversation as it is from now on.
    #[must_use]
    pub fn ended(reason: EndReason, messages: Vec<Message>) -> Self {
        Self {
            status: TurnStatus::Ended(reason),
            error: None,
            label: conversation_label(&messages),
            messages,
            totals: Totals::default(),
        }
    }

    /// Makes the report of a turn that could not be written down.
    pub(super) fn unrecorded(error: &SessionError, messages: Vec<Message>, totals: Totals) -> Self {
        Self {
            label: Label::user(),
            status: TurnStatus::Unrecorded,
            error: Some(chain_text(error)),
            messages,
            totals,
        }
    }

    /// Returns why the turn ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<EndReason> {
        match self.status {
            TurnStatus::Ended(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns the text of the model's last reply.
    #[must_use]
    pub fn text(&self) -> String {
        let replies = self.messages.iter().rev();
        let mut texts = replies.filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply.text()),
            _ => None,
        });
        texts.next().unwrap_or_default()
    }
}
