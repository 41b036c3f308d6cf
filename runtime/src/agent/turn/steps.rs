//! What is possible now.

use serde::{Deserialize, Serialize};

use super::call::{CallState, Gate};
use super::{EndReason, Phase, Purpose, Turn};
use crate::transcript::CallKey;

/// Something that a driver can do now.
///
/// A step is offered until a record says that it was done, so a driver remembers which it is busy with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Call the model: record [`ModelStarted`](super::Record::ModelStarted), then do it.
    CallModel {
        /// The round that the reply will begin.
        round: u32,
        /// What for.
        purpose: Purpose,
    },
    /// Look at a call: may it run, must it run alone, may it run twice?
    Plan {
        /// The call.
        call: CallKey,
    },
    /// Ask whether a call may run.
    Ask {
        /// The call.
        call: CallKey,
        /// Why it has to be asked.
        reason: String,
    },
    /// Run calls, side by side: record [`Started`](super::Record::Started), then do it.
    Run {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Stop the model's reply, and record what came of it.
    StopModel,
    /// Stop calls that are running, and record what came of them.
    Stop {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for what was started.
    Wait,
    /// The turn is over; nothing else will ever be possible.
    End {
        /// Why.
        reason: EndReason,
    },
}

impl Turn {
    /// Returns every step that is possible now; never none.
    #[must_use]
    pub fn next(&self) -> Vec<Step> {
        match self.phase {
            Phase::Ready => {
                vec![Step::CallModel {
                    round: self.round + 1,
                    purpose: Purpose::Reply,
                }]
            }
            Phase::Model if self.is_stopping() => vec![Step::StopModel, Step::Wait],
            Phase::Model => vec![Step::Wait],
            Phase::Calls => self.call_steps(),
            Phase::Over(reason) => vec![Step::End { reason }],
        }
    }

    fn call_steps(&self) -> Vec<Step> {
        let (mut steps, mut run, mut running) = (Vec::new(), Vec::new(), Vec::new());
        let mut gate = Gate::new();
        for (index, slot) in self.calls.iter().enumerate() {
            let call = self.key(index);
            match &slot.state {
                CallState::Unplanned => steps.push(Step::Plan { call }),
                CallState::Asking { reason } => steps.push(Step::Ask {
                    call,
                    reason: reason.clone(),
                }),
                CallState::Running => running.push(call),
                CallState::Allowed | CallState::Done(_) => {}
            }
            if gate.admits(slot) {
                run.push(call);
            }
        }
        run.truncate(self.most_parallel().saturating_sub(running.len()));
        if !run.is_empty() {
            steps.push(Step::Run { calls: run });
        }
        let wait = !running.is_empty();
        if wait && self.is_stopping() {
            steps.push(Step::Stop { calls: running });
        }
        if wait {
            steps.push(Step::Wait);
        }
        steps
    }

    pub(super) fn most_parallel(&self) -> usize {
        (self.bounds.parallel as usize).max(1)
    }
}
