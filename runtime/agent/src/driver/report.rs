//! The report of a turn.

use crate::session::SessionError;
use crate::turn::{EndReason, HandOff, Totals};
use helve_core::tool::chain_text;
use helve_core::transcript::{CallAddress, Label, Message};
use helve_permission::Mode;
use helve_results::conversation_label;

/// The report of a turn that is over or waits.
///
/// ```
/// use helve::agent::turn::EndReason;
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::transcript::Message;
/// use helve::ToolContext;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let agent = Agent::new("main", ScriptedModel::new().say("It is 5."));
/// let report = agent.run(vec![Message::user("2 + 3?")], &ToolContext::new(), |_event| {}).await;
/// assert_eq!(report.end(), Some(EndReason::Finished));
/// assert_eq!((&*report.text(), report.totals.model_calls), ("It is 5.", 1));
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TurnReport {
    /// The status of the turn.
    pub status: TurnStatus,
    /// The error, if the turn failed.
    pub error: Option<String>,
    /// The conversation, with the messages that the turn added.
    pub messages: Vec<Message>,
    /// The totals that the turn consumed, delegates included.
    pub totals: Totals,
    /// The label of the conversation.
    pub label: Label,
    /// The mode in place of [`Mode::Plan`](helve_permission::Mode::Plan), if the user approved the plan of the agent. The
    /// approval ends with the turn; the program sets the mode of the next turn.
    pub approved_mode: Option<Mode>,
    /// The hand-off with which the turn ended.
    pub(super) hand_off: Option<Box<HandOff>>,
}

/// The status of a turn when its driver returns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnStatus {
    /// The turn is over.
    Ended(EndReason),
    /// The turn waits for answers or results from outside the process. It can be resumed when they have been posted.
    Waiting {
        /// The calls that need approval.
        approvals: Vec<CallAddress>,
        /// The calls whose results have to be posted.
        external: Vec<CallAddress>,
    },
    /// An event could not be recorded, so that the driver had to stop. The recorded turn can be resumed.
    Unrecorded,
}

impl TurnReport {
    /// Creates the report of a turn that a [hook](crate::Hook::reply) ends instead of the driver, with the
    /// conversation from now on.
    #[must_use]
    pub fn ended(reason: EndReason, messages: Vec<Message>) -> Self {
        Self {
            status: TurnStatus::Ended(reason),
            error: None,
            label: conversation_label(&messages),
            messages,
            totals: Totals::default(),
            approved_mode: None,
            hand_off: None,
        }
    }

    pub(super) fn unrecorded(error: &SessionError, messages: Vec<Message>, totals: Totals) -> Self {
        Self {
            label: Label::user(),
            status: TurnStatus::Unrecorded,
            error: Some(chain_text(error)),
            messages,
            totals,
            approved_mode: None,
            hand_off: None,
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

    /// Returns the text of the last reply of the model.
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
