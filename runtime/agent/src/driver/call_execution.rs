//! Running calls, and processing their results.

use std::pin::pin;
use std::slice::from_mut;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::driver_event::DriverEvent;
use super::reviewing::guard_result;
use super::state::{Driver, Recorded};
use super::{progress, spans};
use crate::exposure::MetaToolContext;
use crate::guard::GuardPoint;
use crate::spec::Agent;
use crate::turn::{Outcome, Record};
use helve_core::tool::{Tool, ToolContext, ToolError, ToolResult};
use helve_core::transcript::{CallKey, Content};
use helve_permission::call::{CallOutcome, CallSite, JudgedCall, PermittedCall};
use helve_permission::{Decision, Policy, label_downloads};
use helve_results::ResultInput;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Runs calls concurrently after their start is recorded.
    pub(super) async fn start_calls(&mut self, calls: Vec<CallKey>) -> Recorded<bool> {
        let mut started = Record::Started { calls };
        self.record_all(from_mut(&mut started)).await?;
        for key in started.calls() {
            let run = self.run_call(*key);
            run.into_iter().for_each(|run| self.in_flight.push(run));
        }
        Ok(true)
    }

    /// Returns the work of a call that may begin.
    pub(super) fn run_call(&mut self, key: CallKey) -> Option<BoxFuture<'a, DriverEvent>> {
        let started = self.take_started_call(key)?;
        let site = Arc::clone(&started.site);
        let (agent, calls) = (self.agent, self.turn.calls().count());
        let models = Arc::clone(&self.models);
        let meta_tools = self.tools.meta_tools;
        let (policy, turn) = (self.policy, self.context);
        let progress =
            progress::progress_buffer(agent, key, site.call.id.clone(), self.events.clone());
        let (id, address) = (site.call.id.clone(), site.address.clone());
        let stop = self.stop_calls();
        let context = self
            .context
            .derive_call(id, address, progress.progress(), stop);
        let reads = |tool: &Arc<dyn Tool>| tool.spec().requires.conversation;
        let loan = match started.tool.as_ref().is_some_and(reads) {
            true => self.models.with_conversation(Arc::clone(&self.request)),
            false => self.models.for_context(),
        };
        let context = context
            .models(Some(loan))
            .result_budget(agent.results.share(calls))
            .build();
        let span = spans::tool(agent, &site);
        let gate_pass = self.gate_setup(key, &site, started.tool.as_deref());
        Some(
            async move {
                let (tool, permitted) = started.permit().await;
                let permitted = match (permitted, &tool) {
                    (Ok(call), Some(tool)) => match gate_pass {
                        // The future is boxed, because few calls have a pass.
                        Some(pass) => Box::pin(pass.apply(policy, &**tool, &context))
                            .await
                            .map(|()| call),
                        None => Ok(call),
                    },
                    (permitted, _) => permitted,
                };
                let may_run = permitted.is_ok();
                let ran = match permitted {
                    Ok(call) => {
                        // The future is pinned here: a function that takes it would contain a second copy.
                        let running = pin!(agent.pipeline(policy).run(call, context));
                        let running = progress.run_with_flush(running);
                        running.instrument(span.clone()).await
                    }
                    Err(error) => CallOutcome::Ran {
                        result: Err(error),
                        is_cached: false,
                    },
                };
                progress.close();
                let mut outcome = match ran {
                    CallOutcome::DryRun(text) => Outcome::ok(Content::text(text)),
                    CallOutcome::Ran { result, is_cached } => {
                        spans::record_tool_error(&span, agent, &result);
                        let tool = tool.as_deref();
                        let outcome = process_result(agent, tool, &site, turn, calls, result).await;
                        let outcome = outcome.cached(is_cached);
                        let outcome = match tool {
                            Some(tool) if may_run => {
                                outcome.with_joined_label(&label_downloads(tool, turn))
                            }
                            _ => outcome,
                        };
                        match agent.guards.checks(GuardPoint::Result) {
                            // The future is boxed, since most agents have no guards.
                            true => Box::pin(guard_result(agent, turn, &site, outcome)).await,
                            false => outcome,
                        }
                    }
                };
                outcome.used = models.take_used(&site.address);
                spans::record_tool_outcome(&span, agent, &outcome);
                finish_event(key, outcome, meta_tools)
            }
            .boxed(),
        )
    }

    pub(super) fn take_started_call(&mut self, key: CallKey) -> Option<StartedCall<'a>> {
        let call = self.calls.get_mut(key);
        let judged = call.and_then(|call| call.judged.take());
        let (site, tool) = match &judged {
            Some(judged) => (Arc::clone(judged.site()), Some(Arc::clone(judged.tool()))),
            None => {
                let site = self.call_site(key)?;
                let tool = self.tools.visible.find_any(&site.call.name);
                (site, tool)
            }
        };
        Some(StartedCall {
            agent: self.agent,
            context: self.context,
            policy: self.policy,
            site,
            judged,
            tool,
            is_approved: self.turn.is_approved(key),
            is_dry_run: self.turn.is_dry_run(key),
        })
    }
}

/// Returns the event of a finished call. The tool exposure is recorded first: after a crash in between, the call counts as
/// interrupted.
fn finish_event(key: CallKey, outcome: Outcome, meta_tools: &MetaToolContext) -> DriverEvent {
    let finished = Record::Finished { call: key, outcome };
    match meta_tools.take_exposed() {
        Some(offered) => DriverEvent::Records(vec![Record::Offered { offered }, finished]),
        None => DriverEvent::Record(finished),
    }
}

/// Processes a result of the given tool, or of a call without a tool.
pub(super) fn process_result<'a>(
    agent: &'a Agent,
    tool: Option<&'a dyn Tool>,
    site: &'a CallSite,
    context: &'a ToolContext,
    calls: usize,
    result: ToolResult,
) -> impl Future<Output = Outcome> + Send + 'a {
    let mut input = result_input(context, site, calls);
    if let Some(tool) = tool {
        input = input.spec(tool.spec());
    }
    let processing = agent.results.process(input, result);
    processing.map(|processed| processed.outcome)
}

/// Describes a call of a round with the given number of calls, for the pipeline of results.
pub(super) fn result_input<'a>(
    context: &'a ToolContext,
    site: &'a CallSite,
    calls: usize,
) -> ResultInput<'a> {
    ResultInput::new(context.session_id(), &site.address, &site.call)
        .calls(calls)
        .turn_number(context.turn_number())
}

pub(super) struct StartedCall<'a> {
    agent: &'a Agent,
    context: &'a ToolContext,
    policy: &'a Policy,
    pub(super) site: Arc<CallSite>,
    /// The judged call; `None` if another process judged it.
    judged: Option<Box<JudgedCall>>,
    tool: Option<Arc<dyn Tool>>,
    is_approved: bool,
    is_dry_run: bool,
}

impl StartedCall<'_> {
    /// Returns the tool and the permitted call, which is judged again unless this process has judged it.
    pub(super) async fn permit(self) -> (Option<Arc<dyn Tool>>, Result<PermittedCall, ToolError>) {
        let judged = match (self.judged, &self.tool) {
            (Some(judged), _) => Ok(judged),
            (None, Some(tool)) => {
                let pipeline = self.agent.pipeline(self.policy);
                let judging = pipeline.judge_again(self.site, Arc::clone(tool), self.context);
                // The future is boxed, since few calls are judged by two processes.
                let judged = Box::pin(judging).await;
                judged.map(|mut judged| {
                    if self.is_approved {
                        judged.apply_decision(&Decision::allow_once());
                    }
                    judged
                })
            }
            (None, None) => Err(self.agent.toolset.unknown(&self.site.call.name)),
        };
        let permitted = judged.and_then(|mut judged| {
            if self.is_dry_run {
                judged.set_dry_run();
            }
            judged.permit()
        });
        (self.tool, permitted)
    }
}
