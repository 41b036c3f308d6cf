//! The state of the calls of a round, beyond that of the turn.

use tokio_util::sync::CancellationToken;

use helve_core::transcript::{AgentId, CallAddress, CallKey};
use helve_permission::call::JudgedCall;

/// The state of one call, beyond that of the turn.
#[derive(Default)]
pub(super) struct DriverCall {
    /// Whether the call is being judged, or was: the turn offers the call until it is planned.
    pub(super) is_judging: bool,
    /// The call as this process judged it, until it runs.
    pub(super) judged: Option<Box<JudgedCall>>,
    /// The state of the question about the call, if this process asked one, or that an external call runs here.
    pub(super) question: Option<QuestionState>,
    pub(super) delegation: Option<Box<Delegation>>,
}

pub(super) struct Delegation {
    /// The agent that works on the task.
    pub(super) agent: AgentId,
    /// The short name of the task.
    pub(super) label: Option<String>,
    /// The calls that the delegate waits for, if its driver has returned.
    pub(super) suspended: Option<SuspendedDelegate>,
}

/// The calls that a delegate waits for whose driver has returned.
#[derive(Debug, Clone, Default)]
pub(super) struct SuspendedDelegate {
    pub(super) approvals: Vec<CallAddress>,
    pub(super) external: Vec<CallAddress>,
}

#[derive(Debug)]
pub(super) enum QuestionState {
    /// The approver has the question, or the tool of an external call; the token is cancelled when the answer is posted.
    Asked(CancellationToken),
    /// The approver deferred the question: the answer is posted.
    Deferred,
}

/// The calls of one round, by their indices: all calls of a round are done before the next round begins.
#[derive(Default)]
pub(super) struct RoundCalls {
    round: u32,
    calls: Vec<DriverCall>,
}

impl RoundCalls {
    pub(super) fn get(&self, key: CallKey) -> Option<&DriverCall> {
        let calls = (key.round == self.round).then_some(&self.calls)?;
        calls.get(key.index as usize)
    }

    pub(super) fn get_mut(&mut self, key: CallKey) -> Option<&mut DriverCall> {
        let calls = (key.round == self.round).then_some(&mut self.calls)?;
        calls.get_mut(key.index as usize)
    }

    /// Returns the state of a call of the current round, which is made if it does not exist. The first call of a round drops
    /// the calls of the round before.
    pub(super) fn entry(&mut self, key: CallKey) -> &mut DriverCall {
        if key.round != self.round {
            self.round = key.round;
            self.calls.clear();
        }
        let index = key.index as usize;
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, DriverCall::default);
        }
        &mut self.calls[index]
    }

    /// Ends the work that asks about a call, which has its answer or its result.
    pub(super) fn withdraw_question(&mut self, call: CallKey) {
        let question = self.get_mut(call).and_then(|call| call.question.take());
        if let Some(QuestionState::Asked(token)) = question {
            token.cancel();
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (CallKey, &mut DriverCall)> {
        let round = self.round;
        let calls = self.calls.iter_mut();
        calls
            .zip(0..)
            .map(move |(call, index)| (CallKey::new(round, index), call))
    }

    /// Iterates over the delegates whose drivers have returned.
    pub(super) fn suspended(&self) -> impl Iterator<Item = &SuspendedDelegate> {
        let delegations = self
            .calls
            .iter()
            .filter_map(|call| call.delegation.as_ref());
        delegations.filter_map(|delegation| delegation.suspended.as_ref())
    }
}
