//! Handing a task to another agent, whose turn is driven inside this one.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::labels::read_child;
use super::running::{StartedCall, read};
use super::start::{Beginning, Surroundings, begin, go_on};
use super::waiting::{Happening, RareHappening, meanwhile};
use super::{Driver, TurnReport, TurnStatus, Unrecorded, spans};
use crate::agent::authority::Edge;
use crate::agent::compaction::Kept;
use crate::agent::offer::Offered;
use crate::agent::spec::Agent;
use crate::agent::turn::{Bounds, EndReason, Outcome, Record, Totals};
use crate::call::CallSite;
use crate::tool::{Execution, ToolError, ToolOutput, ToolResult, chain_text};
use crate::transcript::{AgentId, CallAddress, CallKey, Content, Message, TurnId};

/// What an agent is told that may have no others work for it.
const TOO_DEEP: &str =
    "agents work for each other as deep as they may already: do the task yourself";

/// What a delegate that was let go of waits for.
#[derive(Debug, Clone, Default)]
pub(super) struct Parked {
    pub(super) approvals: Vec<CallAddress>,
    pub(super) external: Vec<CallAddress>,
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Has another agent work for a call, once it is written down that it does.
    pub(super) async fn delegate(
        &mut self,
        key: CallKey,
        agent: &AgentId,
        bounds: Bounds,
    ) -> Result<bool, Unrecorded> {
        self.record_one(Record::Started { calls: vec![key] })
            .await?;
        let Some(started) = self.started(key) else {
            return Ok(false);
        };
        let site = Arc::clone(&started.site);
        let task = match self.permitted_task(started).await {
            Ok(task) => task,
            Err(denied) => return self.deny_delegate(key, &site, denied).await,
        };
        let span = spans::tool(self.agent, &site);
        let happening = match self.child(key, agent, &bounds, task) {
            Ok(report) => report
                .map(move |report| Happening::Rare(RareHappening::Returned(key, Box::new(report))))
                .instrument(span)
                .boxed(),
            Err(why) => {
                let outcome = Outcome::error(Content::text(why));
                let record = Record::Finished { call: key, outcome };
                futures_util::future::ready(Happening::Recorded(record)).boxed()
            }
        };
        self.working.push(happening);
        Ok(true)
    }

    fn child(
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
            .ok_or_else(|| format!("there is no agent `{name}` here to hand the task to"))?;
        let depth = bounds.depth.checked_sub(1).ok_or(TOO_DEEP)?;
        // Only app code says so far who may work for whom.
        let edge = Edge::Declared;
        let tools = || {
            let names = parent.toolset.names().into_iter();
            names.map(Into::into).collect()
        };
        let authority = self
            .authority
            .narrowed(&self.origin().agent, &agent.policy, edge, tools);
        let agent = agent.working_for(parent, &authority);
        let origin = self.origin().delegate(key, name.clone());
        self.calls.entry(key).delegate = Some(Box::new(origin.clone()));
        let context = self.context.derive().stopped_by(self.stop_calls());
        let context = context.agent(name.clone()).turn(origin.turn.clone());
        let surroundings = Surroundings {
            context: context.build(),
            recorder: self.recorder.clone(),
            teller: self.teller.of(origin.clone()),
            authority,
            patience: self.patience,
            offered: Offered::default(),
            kept: Kept::default(),
        };
        let beginning = Beginning {
            bounds: bounds.clone().depth(depth).within(&agent.bounds),
            conversation: Vec::new(),
            prompt: vec![Message::user(task)],
            origin,
            label: self.turn.label().clone(),
        };
        Ok(run(agent, surroundings, beginning))
    }

    /// Takes in what the turn of a delegate came to.
    ///
    /// That it is over is written down behind the outcome of the call: a crash in between finds a turn that is open and has
    /// nothing more to do, and not a call whose work was never begun.
    pub(super) async fn returned(
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
                let parked = Parked {
                    approvals,
                    external,
                };
                self.calls.entry(key).parked = Some(Box::new(parked));
                return Ok(());
            }
            TurnStatus::Unrecorded => {
                self.error = report.error;
                return Err(Unrecorded);
            }
        };
        if let Some(site) = self.site(key) {
            let (context, calls) = (self.context, self.turn.calls().count());
            let answer = (told(reason, &report), &report.label);
            let told = read_child(self.agent, context, &site, calls, answer).await;
            let outcome = told.used(report.totals);
            self.record_one(Record::Finished { call: key, outcome })
                .await?;
        }
        let delegate = self.calls.get_mut(key);
        let Some(turn) = delegate.and_then(|call| call.delegate.take()) else {
            return Ok(());
        };
        self.context.end_conversation(&turn);
        let ending = self
            .recorder
            .end(&turn, reason, report.error, report.totals);
        let ended = meanwhile(&mut self.working, &mut self.happened, ending).await;
        ended.map_err(|error| {
            self.error = Some(chain_text(&error));
            Unrecorded
        })
    }

    /// Returns the task of a call that may run. A call that another process planned is judged again.
    async fn permitted_task(&mut self, started: StartedCall<'a>) -> Result<String, ToolError> {
        let permitting = started.permitted();
        let permitted = meanwhile(&mut self.working, &mut self.happened, permitting).await;
        match permitted.1?.execution() {
            Execution::Delegate { task, .. } => Ok(task.clone()),
            _ => Err(ToolError::failed("the call names no task")),
        }
    }

    /// Finishes a call that must not run, and ends the turn that a process before had begun for it.
    async fn deny_delegate(
        &mut self,
        key: CallKey,
        site: &CallSite,
        denied: ToolError,
    ) -> Result<bool, Unrecorded> {
        let (context, calls) = (self.context, self.turn.calls().count());
        let reason = denied.to_string();
        let outcome = read(self.agent, &self.window, site, context, calls, Err(denied));
        let outcome = outcome.await;
        self.record_one(Record::Finished { call: key, outcome })
            .await?;
        let address = TurnId::from(site.address.to_string());
        let Some((turn, _)) = self.recorder.open(&address).await else {
            return Ok(true);
        };
        let interrupted = EndReason::Interrupted;
        let ending = self
            .recorder
            .end(turn.origin(), interrupted, Some(reason), *turn.totals());
        let ended = meanwhile(&mut self.working, &mut self.happened, ending).await;
        ended.map_err(|error| {
            self.error = Some(chain_text(&error));
            Unrecorded
        })?;
        Ok(true)
    }
}

/// Runs the turn of a delegate, or goes on with it where it was begun before.
fn run<'a>(
    agent: Agent,
    mut surroundings: Surroundings<'a>,
    beginning: Beginning,
) -> BoxFuture<'a, TurnReport> {
    async move {
        let recorder = &surroundings.recorder;
        let Beginning { origin, bounds, .. } = &beginning;
        if let Some((turn, messages)) = recorder.open(&origin.turn).await {
            let recorded = recorder.authority(&origin.turn).await;
            surroundings.authority = surroundings.authority.resumed(recorded.as_ref());
            return go_on(&agent, surroundings, turn, messages).await;
        }
        let (bounds, prompt) = (bounds.clone(), beginning.prompt.clone());
        let label = beginning.label.clone();
        let begun = recorder.begin(origin, bounds, prompt, label, &surroundings.authority);
        match begun.await {
            Ok(()) => begin(&agent, surroundings, beginning).await,
            Err(error) => TurnReport::unrecorded(&error, beginning.prompt, Totals::default()),
        }
    }
    .boxed()
}

/// Makes a result of what a delegate's turn came to.
fn told(reason: EndReason, report: &TurnReport) -> ToolResult {
    let text = report.text();
    if reason == EndReason::Finished {
        return Ok(ToolOutput::plain(text));
    }
    let mut told = format!("The agent did not finish: {reason}");
    if let Some(error) = &report.error {
        told.push_str(&format!(": {error}"));
    }
    if !text.is_empty() {
        told.push_str(&format!(". The last that it said: {text}"));
    }
    Err(ToolError::failed(told))
}
