//! Delegation: another agent works on a task, in a turn that is driven inside this turn.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::call_execution::{StartedCall, process_by_name};
use super::driver_event::{DriverEvent, RareEvent};
use super::labels::process_answer;
use super::report::{TurnReport, TurnStatus};
use super::round_calls::{Delegation, SuspendedDelegate};
use super::spans;
use super::state::{Driver, Unrecorded};
use super::turn_start::{TurnSetup, TurnStart, begin_turn, resume_turn};
use crate::authority::DelegationKind;
use crate::compaction::RetainedFacts;
use crate::exposure::ExposedTools;
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason, Outcome, Record, Totals};
use helve_core::tool::{Execution, ToolError, ToolOutput, ToolResult, chain_text};
use helve_core::transcript::{AgentId, CallKey, Content, Message, TurnId};
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
    ) -> Result<bool, Unrecorded> {
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
        // So far, only the app declares who may work for whom.
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
        let turn = origin.clone();
        let suspended = None;
        self.calls.entry(key).delegation = Some(Box::new(Delegation { turn, suspended }));
        let context = self.context.derive().lazy_cancellation(self.stop_calls());
        let context = context.agent(name.clone()).turn(origin.turn.clone());
        let setup = TurnSetup {
            context: context.build(),
            recorder: self.recorder.clone(),
            events: self.events.for_turn(origin.clone()),
            authority,
            wait_mode: self.clock.wait_mode(),
            exposed_tools: ExposedTools::default(),
            retained_facts: RetainedFacts::default(),
        };
        let start = TurnStart {
            bounds: bounds.clone().depth(depth).within(&agent.bounds),
            conversation: Vec::new(),
            prompt: vec![Message::user(task)],
            origin,
            label: self.turn.label().clone(),
        };
        Ok(run_delegate(agent, setup, start))
    }

    /// Handles the report of a delegate.
    ///
    /// The end of the turn is recorded after the outcome of the call: after a crash in between, the turn is open and has
    /// nothing to do, instead of a call whose work never started.
    pub(super) async fn handle_delegate_report(
        &mut self,
        key: CallKey,
        report: TurnReport,
    ) -> Result<(), Unrecorded> {
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
            let (context, calls) = (self.context, self.turn.calls().count());
            let answer = (delegate_result(reason, &report), &report.label);
            let outcome = process_answer(self.agent, context, &site, calls, answer).await;
            let outcome = outcome.used(report.totals);
            self.record_one(Record::Finished { call: key, outcome })
                .await?;
        }
        let call = self.calls.get_mut(key);
        let Some(delegation) = call.and_then(|call| call.delegation.take()) else {
            return Ok(());
        };
        let turn = delegation.turn;
        self.context.end_conversation(&turn);
        let ending = self
            .recorder
            .end_turn(&turn, reason, report.error, report.totals);
        let ended = self.in_flight.drive_while(ending).await;
        ended.map_err(|error| {
            self.error = Some(chain_text(&error));
            Unrecorded
        })
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
    ) -> Result<bool, Unrecorded> {
        let (context, calls) = (self.context, self.turn.calls().count());
        let reason = denied.to_string();
        let outcome = process_by_name(
            self.agent,
            self.tools.visible(),
            site,
            context,
            calls,
            Err(denied),
        );
        let outcome = outcome.await;
        self.record_one(Record::Finished { call: key, outcome })
            .await?;
        let address = TurnId::from(site.address.to_string());
        let Some((turn, _)) = self.recorder.take_open_delegate(&address).await else {
            return Ok(true);
        };
        let interrupted = EndReason::Interrupted;
        let ending =
            self.recorder
                .end_turn(turn.origin(), interrupted, Some(reason), *turn.totals());
        let ended = self.in_flight.drive_while(ending).await;
        ended.map_err(|error| {
            self.error = Some(chain_text(&error));
            Unrecorded
        })?;
        Ok(true)
    }
}

/// Runs the turn of a delegate, or resumes it if it is open.
fn run_delegate<'a>(
    agent: Agent,
    mut setup: TurnSetup<'a>,
    start: TurnStart,
) -> BoxFuture<'a, TurnReport> {
    async move {
        let recorder = &setup.recorder;
        let TurnStart { origin, bounds, .. } = &start;
        if let Some((turn, messages)) = recorder.take_open_delegate(&origin.turn).await {
            let recorded = recorder.authority(&origin.turn).await;
            setup.authority = setup.authority.restrict_to_record(recorded.as_ref());
            return resume_turn(&agent, setup, turn, messages).await;
        }
        let (bounds, prompt) = (bounds.clone(), start.prompt.clone());
        let label = start.label.clone();
        let begun = recorder.begin_turn(origin, bounds, prompt, label, &setup.authority);
        match begun.await {
            Ok(()) => begin_turn(&agent, setup, start).await,
            Err(error) => TurnReport::unrecorded(&error, start.prompt, Totals::default()),
        }
    }
    .boxed()
}

/// Makes the result of the call of a report of the delegate.
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
