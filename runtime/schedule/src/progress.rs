//! How far the session of a run is.

use helve_agent::session::{
    AwaitedInput, Entry, History, SessionError, Sessions, TurnEnded, WaitingCall,
};
use helve_agent::turn::EndReason;
use helve_core::transcript::{Label, Message, SessionId};

/// How far the session of a run is, as its journal says.
#[derive(Debug)]
pub(crate) enum Progress {
    /// There is no session, or no turn has begun.
    NotBegun,
    /// A turn has begun and can be continued.
    Open,
    /// The turn waits for these.
    Waiting(Vec<WaitingCall>),
    /// The turn is over.
    Over(Ending),
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) reason: EndReason,
    pub(crate) error: Option<String>,
    /// The last text of the agent.
    pub(crate) text: String,
    pub(crate) label: Label,
}

impl Progress {
    pub(crate) async fn read(sessions: &Sessions, id: &SessionId) -> Result<Self, SessionError> {
        let (mut history, mut ended) = (History::new(), None::<TurnEnded>);
        let read = sessions.visit(id, u64::MAX, |line| {
            history.apply(line);
            if let Entry::TurnEnded(end) = &line.entry
                && end.parent_call.is_none()
            {
                ended = Some(end.clone());
            }
        });
        match read.await {
            Err(SessionError::Unknown { .. }) => return Ok(Self::NotBegun),
            read => read?,
        };
        let state = &history.session_state;
        if state.turns == 0 {
            return Ok(Self::NotBegun);
        }
        let is_own = |turn: &helve_agent::turn::Turn| turn.origin().parent_call.is_none();
        let is_open = state.open_turns.iter().any(is_own);
        match ended {
            Some(end) if !is_open && end.reason != EndReason::HandedOff => Ok(Self::Over(Ending {
                reason: end.reason,
                error: end.error,
                text: last_text(&history.messages),
                label: state.label.clone(),
            })),
            _ => {
                let waiting = state.waiting_calls();
                if waiting.is_empty() || !sessions.postings(id).await?.is_empty() {
                    return Ok(Self::Open);
                }
                Ok(Self::Waiting(waiting))
            }
        }
    }
}

/// Describes what a run waits for.
pub(crate) fn describe_waiting(waiting: &[WaitingCall]) -> String {
    let describe = |call: &WaitingCall| {
        let (address, tool) = (&call.call, &call.tool);
        match &call.awaited {
            AwaitedInput::Answer { reason, .. } => {
                format!("call {address} of `{tool}` needs approval: {reason}")
            }
            _ => format!("call {address} of `{tool}` waits for a result"),
        }
    };
    waiting.iter().map(describe).collect::<Vec<_>>().join("; ")
}

/// Returns the text of the last reply.
fn last_text(messages: &[Message]) -> String {
    let mut replies = messages.iter().rev().filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply.text()),
        _ => None,
    });
    replies.next().unwrap_or_default()
}
