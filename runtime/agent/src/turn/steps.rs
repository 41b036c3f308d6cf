//! What is possible now.

use serde::{Deserialize, Serialize};

use super::call::{CallSlot, Cause, OpenQuestion, SlotState};
use super::{Bounds, EndReason, Execution, Phase, Purpose, Turn};
use helve_core::transcript::{AgentId, CallKey};
use helve_permission::Rule;

/// Something that a driver can do now.
///
/// A step is offered until a record says that it was done, so a driver remembers which it is busy with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Call the model: record [`ModelStarted`](super::Record::ModelStarted), then do it.
    CallModel {
        /// The round that the reply will begin, or that the side step precedes.
        round: u32,
        /// What for.
        purpose: Purpose,
    },
    /// Look at a call: may it run, must it run alone, may it run twice, who runs it?
    Plan {
        /// The call.
        call: CallKey,
    },
    /// Ask whether calls may run, all questions together: record [`OpenQuestion`](super::Record::Asked), then do it.
    Ask {
        /// The questions, in the order of the calls.
        calls: Vec<CallQuestion>,
    },
    /// Run calls, side by side: record [`Started`](super::Record::Started), then do it.
    Run {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Have another agent work for a call: record [`Started`](super::Record::Started), then run its turn, whose
    /// [origin](helve_core::transcript::Origin::delegate) says for which call it works. After a crash the step comes again:
    /// that turn has its own records, and goes on.
    Delegate {
        /// The call.
        call: CallKey,
        /// The agent. In JSON it is `to`, since every located step has an `agent` whose turn it is.
        #[serde(rename = "to")]
        agent: AgentId,
        /// What it gets at most: the rest of this turn's bounds, shared by those that start together.
        bounds: Box<Bounds>,
    },
    /// Hand calls out to be run elsewhere: record [`Submitted`](super::Record::Submitted), then do it.
    Submit {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for the answers to questions that are out; a process that takes a turn over may put them again.
    AwaitAnswers {
        /// The calls, in order.
        calls: Vec<CallKey>,
    },
    /// Wait for the outcomes of calls that were handed out.
    AwaitExternal {
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

/// A question about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallQuestion {
    /// The call.
    pub call: CallKey,
    /// Why the call needs approval.
    pub reason: String,
    /// Whether only a person may answer, for this call alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safety: bool,
    /// Rules that would cover this call and others like it, to offer with the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Rule>,
}

impl Step {
    /// Returns the calls that the step is about, in order.
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
            Self::CallModel { .. } | Self::StopModel | Self::Wait | Self::End { .. } => Vec::new(),
        }
    }
}

#[derive(Default)]
struct Steps {
    first: Option<Step>,
    others: Vec<Step>,
}

impl Steps {
    fn push(&mut self, step: Step) {
        if self.first.is_none() {
            self.first = Some(step);
        } else {
            self.others.push(step);
        }
    }
}

impl Turn {
    /// Returns every step that is possible now; never none.
    #[must_use]
    pub fn next(&self) -> Vec<Step> {
        self.steps().collect()
    }

    /// Iterates over the steps of [`next`](Self::next). Most of the time there is one, and no list is made of it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> + use<> {
        let mut steps = Steps::default();
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
            Phase::Calls => self.push_call_steps(&mut steps),
            Phase::Over(reason) => steps.push(Step::End { reason }),
        }
        steps.first.into_iter().chain(steps.others)
    }

    /// Returns the question about a call, from when it is known that it has to be asked until it is answered.
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

    /// Lists the questions that can go out: all together, when nothing more can come to them and none has a cover that
    /// is open.
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

    /// Whether the question about an earlier call may settle this one.
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

    /// Counts the calls in a row, to the last one, that were denied.
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
