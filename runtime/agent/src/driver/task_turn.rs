//! The turns in which another agent works on a task: the turn itself, and one more if its answer has to be repaired.

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;

use super::event_emitter::EventEmitter;
use super::recorder::SessionRecorder;
use super::report::TurnReport;
use super::state::TurnEnv;
use super::task_report::{TaskReport, TaskTurnEnd};
use super::turn_start::{TurnStart, begin_turn, record_turn_start, resume_turn};
use crate::answer_format::AnswerFormat;
use crate::authority::Authority;
use crate::session::repair_turn;
use crate::spec::{Agent, WaitMode};
use crate::turn::{Bounds, EndReason, Totals, add_delegate};
use helve_core::tool::ToolContext;
use helve_core::transcript::{Message, Origin};

/// A task that another agent is to work on.
pub(super) struct TaskTurn<'s> {
    pub(super) agent: Agent,
    /// The context of the calling turn, with the token that stops its calls.
    pub(super) context: ToolContext,
    pub(super) recorder: SessionRecorder<'s>,
    pub(super) events: EventEmitter,
    pub(super) authority: Authority,
    pub(super) wait_mode: WaitMode,
}

impl<'s> TaskTurn<'s> {
    /// Runs the task, or resumes it if its turn is open.
    pub(super) fn run(self, start: TurnStart) -> BoxFuture<'s, TaskReport> {
        async move {
            let (origin, bounds) = (start.origin.clone(), start.bounds.clone());
            let agent = origin.agent.clone();
            let mut report = self.run_turn(start).await;
            let mut turns = vec![TaskTurnEnd::new(origin.clone(), &report)];
            let format = self
                .agent
                .options
                .output
                .as_ref()
                .map(AnswerFormat::for_output);
            let format = format.filter(|_| report.end() == Some(EndReason::Finished));
            let Some(format) = format else {
                return TaskReport {
                    agent,
                    report,
                    turns,
                    value: None,
                };
            };
            let mut value = format.parse::<Value>(&report.text());
            if let Err(mistakes) = &value
                && let Some(repair) =
                    repair(&report, &origin, &bounds, &format.repair_prompt(mistakes))
            {
                let (origin, totals) = (repair.origin.clone(), report.totals);
                report = self.run_turn(repair).await;
                turns.push(TaskTurnEnd::new(origin, &report));
                add_delegate(&mut report.totals, &totals);
                if report.end() == Some(EndReason::Finished) {
                    value = format.parse(&report.text());
                }
            }
            TaskReport {
                agent,
                report,
                turns,
                value: Some(value),
            }
        }
        .boxed()
    }

    async fn run_turn(&self, start: TurnStart) -> TurnReport {
        let (recorder, turn) = (&self.recorder, &start.origin.turn);
        let context = self.context.derive().agent(start.origin.agent.clone());
        let mut env = TurnEnv::new(
            context.turn(turn.clone()).build(),
            recorder.clone(),
            self.events.for_turn(start.origin.clone()),
            self.authority.clone(),
            self.wait_mode,
        );
        if let Some((open, messages)) = recorder.take_open_delegate(turn).await {
            let recorded = recorder.authority(turn).await;
            env.authority = env.authority.restrict_to_record(recorded.as_ref());
            return resume_turn(&self.agent, env, open, messages).await;
        }
        match record_turn_start(&env, &start).await {
            Ok(()) => begin_turn(&self.agent, env, start).await,
            Err(error) => TurnReport::unrecorded(&error, start.prompt, Totals::default()),
        }
    }
}

/// Returns the turn in which the agent corrects its answer; `None` if nothing of the bounds is left for it.
fn repair(
    report: &TurnReport,
    origin: &Origin,
    bounds: &Bounds,
    prompt: &str,
) -> Option<TurnStart> {
    let bounds = bounds.subtract(&report.totals);
    if bounds.exhausted_bound().is_some() {
        return None;
    }
    let mut prompt_messages = report.messages.clone();
    prompt_messages.push(Message::user(prompt));
    let turn = repair_turn(&origin.turn);
    Some(TurnStart {
        origin: Origin {
            turn,
            ..origin.clone()
        },
        bounds,
        conversation: Vec::new(),
        prompt: prompt_messages,
        label: report.label.clone(),
        taken_over: None,
    })
}
