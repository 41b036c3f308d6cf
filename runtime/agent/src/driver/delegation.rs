//! Delegation: another agent works on a task, in a turn that is driven inside this turn.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::call_execution::{StartedCall, process_result, result_input};
use super::driver_event::{DriverEvent, RareEvent};
use super::report::{TurnReport, TurnStatus};
use super::reviewing::guard_result;
use super::round_calls::{Delegation, SuspendedDelegate};
use super::spans;
use super::state::{Driver, Recorded, TurnEnv, Unrecorded};
use super::turn_start::{TurnStart, begin_turn, record_turn_start, resume_turn};
use crate::authority::DelegationKind;
use crate::event::projection::turn_end_events;
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason, Outcome, Record, Totals};
use helve_core::tool::{Execution, ToolError, ToolOutput, ToolResult};
use helve_core::transcript::{AgentId, CallKey, Content, Message, Origin, TurnId};
use helve_permission::call::CallSite;

/// The error of a call that would exceed the depth of delegation.
const DEPTH_EXCEEDED: &str = "the delegation depth limit is reached: do the task yourself";

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Starts the delegate of a call after the start is recorded.
    pub(super) async fn delegate(
        &mut self,
        key: CallKey,
        agent: &AgentId,
        bounds: Bounds,
    ) -> Recorded<bool> {
        self.record_one(Record::Started { calls: vec![key] })
            .await?;
        let Some(started) = self.take_started_call(key) else {
            return Ok(false);
        };
        let site = Arc::clone(&started.site);
        let task = match self.permitted_task(started).await {
            Ok(task) => task,
            Err(denied) => return self.deny_delegate(key, &site, denied).await,
        };
        let span = spans::tool(self.agent, &site);
        let event = match self.start_delegate(key, agent, &bounds, task) {
            Ok(report) => report
                .map(move |report| {
                    DriverEvent::Rare(RareEvent::DelegateReturned(key, Box::new(report)))
                })
                .instrument(span)
                .boxed(),
            Err(why) => {
                let outcome = Outcome::error(Content::text(why));
                let record = Record::Finished { call: key, outcome };
                futures_util::future::ready(DriverEvent::Record(record)).boxed()
            }
        };
        self.in_flight.push(event);
        Ok(true)
    }

    fn start_delegate(
        &mut self,
        key: CallKey,
        name: &AgentId,
        bounds: &Bounds,
        task: String,
    ) -> Result<BoxFuture<'a, TurnReport>, String> {
        let parent = self.agent;
        let agent = parent
            .delegates
            .get(name)
            .ok_or_else(|| format!("unknown agent `{name}`"))?;
        let depth = bounds.depth.checked_sub(1).ok_or(DEPTH_EXCEEDED)?;
        // So far, only the app declares delegates.
        let edge = DelegationKind::Declared;
        let tools = || {
            let names = parent.toolset.names().into_iter();
            names.map(Into::into).collect()
        };
        let authority = self
            .authority
            .narrow_for(&self.origin().agent, &agent.policy, edge, tools);
        let agent = agent.for_caller(parent, &authority);
        let origin = self.origin().delegate(key, name.clone());
        let delegation = Delegation {
            turn: origin.clone(),
            suspended: None,
        };
        self.calls.entry(key).delegation = Some(Box::new(delegation));
        let context = self.context.derive().lazy_cancellation(self.stop_calls());
        let context = context.agent(name.clone()).turn(origin.turn.clone());
        let env = TurnEnv::new(
            context.build(),
            self.recorder.clone(),
            self.events.for_turn(origin.clone()),
            authority,
            self.clock.wait_mode,
        );
        let start = TurnStart {
            bounds: agent.with_reviews(bounds.clone().depth(depth).within(&agent.bounds)),
            conversation: Vec::new(),
            prompt: vec![Message::user(task)],
            origin,
            label: self.turn.label().clone(),
        };
        Ok(run_delegate(agent, env, start))
    }

    /// Handles the report of a delegate.
    ///
    /// The end of the turn is recorded after the outcome of the call: after a crash in between, the turn is open and has
    /// nothing to do, instead of a call whose work never started.
    pub(super) async fn handle_delegate_report(
        &mut self,
        key: CallKey,
        report: TurnReport,
    ) -> Recorded {
        let reason = match report.status {
            TurnStatus::Ended(reason) => reason,
            TurnStatus::Waiting {
                approvals,
                external,
            } => {
                if let Some(delegation) = &mut self.calls.entry(key).delegation {
                    delegation.suspended = Some(SuspendedDelegate {
                        approvals,
                        external,
                    });
                }
                return Ok(());
            }
            TurnStatus::Unrecorded => {
                self.error = report.error;
                return Err(Unrecorded);
            }
        };
        if let Some(site) = self.call_site(key) {
            // The answer is enclosed like the text that the delegate has read.
            let input = result_input(self.context, &site, self.turn.calls().count());
            let input = input.label(&report.label);
            let answer = delegate_result(reason, &report);
            let processed = self.agent.results.process(input, answer).await;
            let outcome = processed.outcome.used(report.totals);
            let outcome = guard_result(self.agent, self.context, &site, outcome).await;
            self.record_one(Record::Finished { call: key, outcome })
                .await?;
        }
        let call = self.calls.get_mut(key);
        let Some(delegation) = call.and_then(|call| call.delegation.take()) else {
            return Ok(());
        };
        let turn = delegation.turn;
        self.context.end_conversation(&turn);
        self.end_delegate(&turn, reason, report.error, report.totals)
            .await
    }

    async fn end_delegate(
        &mut self,
        turn: &Origin,
        reason: EndReason,
        error: Option<String>,
        totals: Totals,
    ) -> Recorded {
        let events = self.events.for_turn(turn.clone());
        let projected = turn_end_events(reason, error.clone());
        let ending = self
            .recorder
            .end_turn(turn, reason, error, totals, events.order());
        let ended = self.in_flight.drive_while(ending).await;
        let ended = ended.map_err(|error| self.unrecorded(&error))?;
        if let Some(mut recorded) = ended {
            events.emit_recorded(Some(&mut recorded), None, projected);
        }
        Ok(())
    }

    /// Returns the task of a permitted call. A call that another process planned is judged again.
    async fn permitted_task(&mut self, started: StartedCall<'a>) -> Result<String, ToolError> {
        let permitting = started.permit();
        let permitted = self.in_flight.drive_while(permitting).await;
        match permitted.1?.execution() {
            Execution::Delegate { task, .. } => Ok(task.clone()),
            _ => Err(ToolError::failed("the call has no task")),
        }
    }

    /// Finishes a denied call, and ends the turn that an earlier process had started for it.
    async fn deny_delegate(
        &mut self,
        key: CallKey,
        site: &CallSite,
        denied: ToolError,
    ) -> Recorded<bool> {
        let (context, calls) = (self.context, self.turn.calls().count());
        let reason = denied.to_string();
        let tool = self.tools.visible.find_any(&site.call.name);
        let tool = tool.as_deref();
        let processing = process_result(self.agent, tool, site, context, calls, Err(denied));
        let outcome = processing.await;
        self.record_one(Record::Finished { call: key, outcome })
            .await?;
        let address = TurnId::from(site.address.to_string());
        if let Some((turn, _)) = self.recorder.take_open_delegate(&address).await {
            let (origin, totals) = (turn.origin(), *turn.totals());
            self.end_delegate(origin, EndReason::Interrupted, Some(reason), totals)
                .await?;
        }
        Ok(true)
    }
}

/// Runs the turn of a delegate, or resumes it if it is open.
fn run_delegate<'a>(
    agent: Agent,
    mut env: TurnEnv<'a>,
    start: TurnStart,
) -> BoxFuture<'a, TurnReport> {
    async move {
        let (recorder, turn) = (&env.recorder, &start.origin.turn);
        if let Some((open, messages)) = recorder.take_open_delegate(turn).await {
            let recorded = recorder.authority(turn).await;
            env.authority = env.authority.restrict_to_record(recorded.as_ref());
            return resume_turn(&agent, env, open, messages).await;
        }
        match record_turn_start(&env, &start).await {
            Ok(()) => begin_turn(&agent, env, start).await,
            Err(error) => TurnReport::unrecorded(&error, start.prompt, Totals::default()),
        }
    }
    .boxed()
}

fn delegate_result(reason: EndReason, report: &TurnReport) -> ToolResult {
    let text = report.text();
    if reason == EndReason::Finished {
        return Ok(ToolOutput::plain(text));
    }
    let mut message = format!("The agent did not finish: {reason}");
    if let Some(error) = &report.error {
        message.push_str(&format!(": {error}"));
    }
    if !text.is_empty() {
        message.push_str(&format!(". Its last message: {text}"));
    }
    Err(ToolError::failed(message))
}
