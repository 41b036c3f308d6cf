//! Delegation: another agent works on a task, in a turn that is driven inside this turn.

use std::sync::Arc;

use futures_util::future::FutureExt;
use tracing::Instrument;

use super::call_execution::{process_result, result_input};
use super::driver_event::{DriverEvent, RareEvent};
use super::report::TurnStatus;
use super::reviewing::guard_result;
use super::round_calls::{Delegation, SuspendedDelegate};
use super::spans;
use super::state::{Driver, Recorded, Unrecorded};
use super::task_check::CheckedTask;
use super::task_report::TaskReport;
use super::task_turn::TaskTurn;
use super::turn_start::TurnStart;
use crate::EventKind;
use crate::authority::Authority;
use crate::event::projection::turn_end_events;
use crate::session::{EndedTurn, repair_turn};
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason, Record, Totals};
use helve_core::tool::ToolError;
use helve_core::transcript::{AgentId, CallKey, Origin, TurnId};
use helve_permission::call::CallSite;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Starts the task of a call after the start is recorded.
    pub(super) async fn delegate(
        &mut self,
        key: CallKey,
        agent: &AgentId,
        bounds: Bounds,
    ) -> Recorded<bool> {
        // A task that started in the same step may have been granted everything that is left.
        if !self.turn.may_start(key) {
            return Ok(false);
        }
        self.record_one(Record::Started { calls: vec![key] })
            .await?;
        let Some(started) = self.take_started_call(key) else {
            return Ok(false);
        };
        let site = Arc::clone(&started.site);
        let permitting = started.permit();
        let (_, permitted) = self.in_flight.drive_while(permitting).await;
        if let Err(denied) = permitted {
            return self.refuse_task(key, &site, denied).await;
        }
        // The future is boxed, since it reads the session.
        match Box::pin(self.check_task(key, &bounds)).await {
            Ok(task) if task.background => {
                return Box::pin(self.launch_job(key, agent, &site, task)).await;
            }
            Ok(task) => self.start_task(key, agent, &site, task),
            Err(mistakes) => {
                let refused = ToolError::failed(mistakes);
                return self.refuse_task(key, &site, refused).await;
            }
        }
        Ok(true)
    }

    /// Returns the authority within which the agent of a task works.
    pub(super) fn task_authority(&self, task: &CheckedTask) -> Authority {
        let parent = self.agent;
        let tools = || {
            let names = parent.toolset.names().into_iter();
            names.map(Into::into).collect()
        };
        let caller = &self.origin().agent;
        self.authority
            .narrow_for(caller, &task.agent.policy, task.edge, tools)
    }

    /// Returns the agent that works on a task.
    pub(super) fn task_agent(&self, task: &CheckedTask, authority: &Authority) -> Agent {
        let agent = task.agent.for_caller(self.agent, authority);
        match &task.tools {
            Some(tools) => agent.restrict_to(tools),
            None => agent,
        }
    }

    fn start_task(&mut self, key: CallKey, name: &AgentId, site: &CallSite, task: CheckedTask) {
        let authority = self.task_authority(&task);
        let agent = self.task_agent(&task, &authority);
        let delegation = Delegation {
            agent: name.clone(),
            label: task.name.clone(),
            suspended: None,
        };
        self.calls.entry(key).delegation = Some(Box::new(delegation));
        let started = EventKind::DelegateStarted {
            call: site.call.id.clone(),
            agent: name.clone(),
            label: task.name,
        };
        self.events.emit_for(key, started);
        let context = self.context.derive().lazy_cancellation(self.stop_calls());
        let bounds = agent.with_reviews(task.bounds);
        let turn = TaskTurn {
            agent,
            context: context.build(),
            recorder: self.recorder.clone(),
            events: self.events.clone(),
            authority,
            wait_mode: self.clock.wait_mode,
        };
        let start = TurnStart {
            origin: self.origin().delegate(key, name.clone()),
            bounds,
            conversation: Vec::new(),
            prompt: task.prompt,
            label: task.label,
            taken_over: None,
        };
        let span = spans::tool(self.agent, site);
        let returned = move |report| RareEvent::DelegateReturned(key, Box::new(report));
        let working = turn
            .run(start)
            .map(move |report| DriverEvent::Rare(returned(report)));
        self.in_flight.push(working.instrument(span).boxed());
    }

    /// Handles the report about a task.
    ///
    /// The end of the turn is recorded after the outcome of the call: after a crash in between, the turn is open and has
    /// nothing to do, instead of a call whose work never started.
    pub(super) async fn handle_delegate_report(
        &mut self,
        key: CallKey,
        task: TaskReport,
    ) -> Recorded {
        let reason = match task.report.status {
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
                self.error = task.report.error;
                return Err(Unrecorded);
            }
        };
        let call = self.calls.get_mut(key);
        let delegation = call.and_then(|call| call.delegation.take());
        if let Some(site) = self.call_site(key) {
            self.record_task_outcome(key, &site, delegation, reason, &task)
                .await?;
        }
        if !self.recorder.is_recording() {
            let ended = EndedTurn {
                origin: self.origin().delegate(key, task.agent),
                messages: task.report.messages,
                label: task.report.label,
            };
            let rare = self.rare.get_or_insert_default();
            rare.ended_tasks.push(ended);
        }
        // A turn that repairs an answer ends before the turn whose answer it is.
        for turn in task.turns.into_iter().rev() {
            let reason = turn.reason.unwrap_or(reason);
            self.end_task_turn(&turn.origin, reason, turn.error, turn.totals)
                .await?;
        }
        Ok(())
    }

    /// Records the outcome of a call from the report about its task.
    async fn record_task_outcome(
        &mut self,
        key: CallKey,
        site: &CallSite,
        delegation: Option<Box<Delegation>>,
        reason: EndReason,
        task: &TaskReport,
    ) -> Recorded {
        if let Some(delegation) = &delegation {
            let ended = EventKind::DelegateEnded {
                call: site.call.id.clone(),
                agent: delegation.agent.clone(),
                reason,
                totals: task.report.totals,
            };
            self.events.emit_for(key, ended);
        }
        let is_named = delegation.is_some_and(|delegation| delegation.label.is_some());
        // The answer is enclosed like the text that the delegate has read.
        let input = result_input(self.context, site, self.turn.calls().count());
        let input = input.label(&task.report.label);
        let answer = task.result(reason, is_named.then_some(&site.address));
        let has_value = matches!(task.value, Some(Ok(_))) && answer.is_ok();
        let processed = self.agent.results.process(input, answer).await;
        // The value is that of the pipeline, which redacts secrets.
        let value = processed.structured_content().filter(|_| has_value);
        let value = value.and_then(|json| serde_json::from_str(json).ok());
        let outcome = processed.outcome.used(task.report.totals);
        let mut outcome = outcome.structured(value);
        let answered = outcome.content.clone();
        outcome = guard_result(self.agent, self.context, site, outcome).await;
        if outcome.content != answered {
            outcome.structured = None;
        }
        self.record_one(Record::Finished { call: key, outcome })
            .await
    }

    async fn end_task_turn(
        &mut self,
        turn: &Origin,
        reason: EndReason,
        error: Option<String>,
        totals: Totals,
    ) -> Recorded {
        self.context.end_conversation(turn);
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

    /// Finishes a call whose task does not start, and ends the turns that an earlier process had started for it.
    pub(super) async fn refuse_task(
        &mut self,
        key: CallKey,
        site: &CallSite,
        refused: ToolError,
    ) -> Recorded<bool> {
        let (context, calls) = (self.context, self.turn.calls().count());
        let reason = refused.to_string();
        let tool = self.tools.visible.find_any(&site.call.name);
        let tool = tool.as_deref();
        let processing = process_result(self.agent, tool, site, context, calls, Err(refused));
        let outcome = processing.await;
        self.record_one(Record::Finished { call: key, outcome })
            .await?;
        let address = TurnId::from(site.address.to_string());
        for turn in [repair_turn(&address), address] {
            let taking = self.recorder.take_open_delegate(&turn);
            if let Some((turn, _)) = self.in_flight.drive_while(taking).await {
                let (origin, totals) = (turn.origin(), *turn.totals());
                self.end_task_turn(origin, EndReason::Interrupted, Some(reason.clone()), totals)
                    .await?;
            }
        }
        Ok(true)
    }
}
