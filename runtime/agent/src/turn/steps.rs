//! The steps that are possible now.

use serde::{Deserialize, Serialize};

use super::call::{CallSlot, Cause, OpenQuestion, SlotState};
use super::call_question::CallQuestion;
use super::{Bounds, EndReason, Execution, Phase, Purpose, Turn};
use helve_core::transcript::{AgentId, CallKey};

/// An action that a driver can perform now.
///
/// A step is returned until a record states that it was done, so a driver keeps track of the steps that it is
/// performing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Call the model. The driver records [`ModelStarted`](super::Record::ModelStarted) first.
    CallModel {
        /// The round that the reply will begin, or that the side step precedes.
        round: u32,
        /// The purpose.
        purpose: Purpose,
    },
    /// Plan a call: determine whether it may run, whether it runs alone, whether it may run twice, and who executes it.
    Plan {
        /// The call.
        call: CallKey,
    },
    /// Ask whether calls may run, all questions together. The driver records [`Asked`](super::Record::Asked) first.
    Ask {
        /// The questions, in the order of the calls.
        calls: Vec<CallQuestion>,
    },
    /// Run calls concurrently. The driver records [`Started`](super::Record::Started) first.
    Run {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Let another agent work on a call. The driver records [`Started`](super::Record::Started) first, then runs the
    /// turn of that agent, whose [origin](helve_core::transcript::Origin::delegate) names the call. After a crash the
    /// step is returned again: the turn of the delegate has its own records, and continues.
    Delegate {
        /// The call.
        call: CallKey,
        /// The agent. In JSON the field is `to`, because every located step has a field `agent` for the agent of its
        /// turn.
        #[serde(rename = "to")]
        agent: AgentId,
        /// The maximum bounds of the delegate: the remaining bounds of this turn, shared by the delegates that start
        /// together.
        bounds: Box<Bounds>,
    },
    /// Submit calls for external execution. The driver records [`Submitted`](super::Record::Submitted) first.
    Submit {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for the answers to open questions. A process that resumes a turn may ask them again.
    AwaitAnswers {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for the outcomes of submitted calls.
    AwaitExternal {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Review the last reply.
    Review {
        /// The round of the reply.
        round: u32,
    },
    /// Stop the reply of the model, and record the result.
    StopModel,
    /// Stop running calls, and record their results.
    Stop {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for work in flight.
    Wait,
    /// The turn is over; no other step will ever be possible.
    End {
        /// The reason why the turn ended.
        reason: EndReason,
    },
}

impl Step {
    /// Returns the calls that the step refers to, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<CallKey> {
        match self {
            Self::Plan { call } | Self::Delegate { call, .. } => vec![*call],
            Self::Ask { calls } => calls.iter().map(|asking| asking.call).collect(),
            Self::Run { calls }
            | Self::Submit { calls }
            | Self::AwaitAnswers { calls }
            | Self::AwaitExternal { calls }
            | Self::Stop { calls } => calls.clone(),
            Self::CallModel { .. }
            | Self::Review { .. }
            | Self::StopModel
            | Self::Wait
            | Self::End { .. } => Vec::new(),
        }
    }
}

/// The steps that are possible now. A step is large, so that it is handled in place.
#[derive(Default)]
pub(crate) struct Steps {
    first: Option<Step>,
    others: Vec<Step>,
}

impl Steps {
    #[inline]
    fn push(&mut self, step: Step) {
        if self.first.is_none() {
            self.first = Some(step);
        } else {
            self.others.push(step);
        }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.first.iter_mut().chain(&mut self.others)
    }
}

impl Turn {
    /// Returns every step that is possible now. There is always at least one.
    #[must_use]
    pub fn next(&self) -> Vec<Step> {
        let mut steps = Steps::default();
        self.push_steps(&mut steps);
        let Steps { first, others } = steps;
        first.into_iter().chain(others).collect()
    }

    /// Adds the steps of [`next`](Self::next) in place. Usually there is one step, for which no list is allocated.
    pub(crate) fn push_steps(&self, steps: &mut Steps) {
        match self.phase {
            Phase::Ready => steps.push(Step::CallModel {
                round: self.round + 1,
                purpose: self.wanted.first().copied().unwrap_or_default(),
            }),
            Phase::Model(_) => {
                if self.is_stopping() {
                    steps.push(Step::StopModel);
                }
                steps.push(Step::Wait);
            }
            Phase::Calls => self.push_call_steps(steps),
            Phase::Closing => steps.push(Step::Review { round: self.round }),
            Phase::Over(reason) => steps.push(Step::End { reason }),
        }
    }

    /// Returns the question about a call, from the plan that requires approval until the answer.
    #[must_use]
    pub fn question(&self, key: CallKey) -> Option<CallQuestion> {
        match &self.slot(key)?.state {
            SlotState::Asking(asked) => Some(asked.question.clone()),
            _ => None,
        }
    }

    fn push_call_steps(&self, steps: &mut Steps) {
        let (mut out, mut submitted) = (Vec::new(), Vec::new());
        for (index, slot) in self.calls.iter().enumerate() {
            let call = self.key(index);
            match &slot.state {
                SlotState::Unplanned => steps.push(Step::Plan { call }),
                SlotState::Asking(asked) if asked.out => out.push(call),
                SlotState::Submitted => submitted.push(call),
                SlotState::Asking(_)
                | SlotState::Allowed
                | SlotState::Running
                | SlotState::Done { .. } => {}
            }
        }
        let questions: Vec<_> = self.askable_questions().collect();
        if !questions.is_empty() {
            steps.push(Step::Ask { calls: questions });
        }
        let running = self.count_running();
        self.push_starts(running, steps);
        if !out.is_empty() {
            steps.push(Step::AwaitAnswers { calls: out });
        }
        if !submitted.is_empty() {
            steps.push(Step::AwaitExternal { calls: submitted });
        }
        if running > 0 {
            if self.is_stopping() {
                let calls = self.calls.iter().enumerate();
                let running = calls.filter(|(_, slot)| slot.is_running());
                let calls = running.map(|(index, _)| self.key(index)).collect();
                steps.push(Step::Stop { calls });
            }
            steps.push(Step::Wait);
        }
    }

    /// Lists the questions that can be asked now: all together, once every call is planned, except for those that an
    /// open question covers.
    pub(super) fn askable_questions(&self) -> impl Iterator<Item = CallQuestion> + '_ {
        let is_planned = |slot: &CallSlot| !matches!(slot.state, SlotState::Unplanned);
        let all_planned = self.calls.iter().all(is_planned);
        let calls = self.calls.iter().filter(move |_| all_planned);
        calls.filter_map(|slot| match &slot.state {
            SlotState::Asking(asked) if !asked.out && !self.is_covered(asked) => {
                Some(asked.question.clone())
            }
            _ => None,
        })
    }

    /// Reports whether an open question about an earlier call may settle this one.
    fn is_covered(&self, asked: &OpenQuestion) -> bool {
        let is_open = |key: CallKey| {
            let slot = self.slot(key);
            slot.is_some_and(|slot| matches!(slot.state, SlotState::Asking(_)))
        };
        !asked.question.safety && asked.covered_by.iter().any(|cover| is_open(cover.call))
    }

    fn push_starts(&self, running: usize, steps: &mut Steps) {
        let (mut run, mut submit, mut delegates) = (Vec::new(), Vec::new(), Vec::new());
        let mut free = self.max_parallel().saturating_sub(running);
        for index in self.ready_calls() {
            let slot = &self.calls[index];
            if slot.execution == Execution::External {
                submit.push(self.key(index));
            } else if free > 0 {
                free -= 1;
                match &slot.execution {
                    Execution::Delegate { agent } => delegates.push((index, agent)),
                    _ => run.push(self.key(index)),
                }
            }
        }
        if !run.is_empty() {
            steps.push(Step::Run { calls: run });
        }
        for (index, agent) in delegates {
            steps.push(Step::Delegate {
                call: self.key(index),
                agent: agent.clone(),
                bounds: Box::new(self.delegate_bounds(index)),
            });
        }
        if !submit.is_empty() {
            steps.push(Step::Submit { calls: submit });
        }
    }

    pub(super) fn max_parallel(&self) -> usize {
        (self.bounds.parallel as usize).max(1)
    }

    /// Counts the denied calls in a row, up to the last call.
    pub(super) fn denied_in_a_row(&self) -> u32 {
        self.calls
            .iter()
            .fold(self.guard.denials, |denials, slot| match slot.state {
                SlotState::Done {
                    cause: Cause::Denied,
                    ..
                } => denials.saturating_add(1),
                SlotState::Done {
                    cause: Cause::Reported,
                    ..
                } => 0,
                _ => denials,
            })
    }
}
