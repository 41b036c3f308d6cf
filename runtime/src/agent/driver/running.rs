//! Running calls, and reading what they return.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::connections::Gate;
use super::hooked::{Inside, until_stopped};
use super::panics::catching;
use super::waiting::Happening;
use super::{Driver, Unrecorded, progress, spans};
use crate::agent::EventKind;
use crate::agent::hook::{CallSite, Next};
use crate::agent::offer::Window;
use crate::agent::reading::ReadInput;
use crate::agent::spec::Agent;
use crate::agent::turn::{Outcome, Record};
use crate::tool::{
    Interrupted, Progress, Tool, ToolContext, ToolContextBuilder, ToolError, ToolResult, dispatch,
};
use crate::transcript::{CallKey, Content, SessionId, ToolCall};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Runs calls side by side, once it is written down that they run.
    pub(super) async fn start(&mut self, calls: Vec<CallKey>) -> Result<bool, Unrecorded> {
        let started = Record::Started {
            calls: calls.clone(),
        };
        self.record(vec![started]).await?;
        for key in calls {
            self.run_call(key);
        }
        Ok(true)
    }

    fn run_call(&mut self, key: CallKey) {
        let Some(site) = self.site(key) else { return };
        if self.turn.is_dry_run(key) && !self.rehearses(&site.call) {
            let outcome = would_call(&site.call);
            let record = Record::Finished { call: key, outcome };
            let happening = Happening::Recorded(vec![record]);
            self.working
                .push(futures_util::future::ready(happening).boxed());
            return;
        }
        let stop = self.context.cancellation().child_token();
        self.stop_calls.insert(key, stop.clone());
        let (agent, calls) = (self.agent, self.turn.calls().count());
        let (window, desk) = (Arc::clone(&self.window), Arc::clone(&self.desk));
        let (id, teller) = (site.call.id.clone(), self.teller.clone());
        let progress = progress::buffer(agent, key, id, teller);
        let context = context(self.context, &site, key, progress.progress());
        let context = context
            .cancellation(stop)
            .result_budget(agent.reader.share(calls))
            .build();
        let span = spans::tool(agent, &site);
        let policy = self.policy.clone();
        self.working.push(
            async move {
                let tool = window.any(&site.call.name);
                let gate = Gate::of(agent, &policy, tool, (key, &site), &context).await;
                let session = context.session_id().clone();
                let is_cached = AtomicBool::new(false);
                let running = run(agent, &window, &site, context, &is_cached);
                let running = catching("a hook", running);
                let running = progress.during(running).instrument(span.clone());
                let result = running.await;
                progress.close();
                let result = result.unwrap_or_else(|panic| Err(ToolError::failed(panic)));
                spans::tool_done(&span, agent, &result);
                let outcome = read(agent, &window, &site, &session, calls, result).await;
                let outcome = gate.label(outcome.cached(is_cached.into_inner()), &site.call.name);
                spans::tool_read(&span, agent, &outcome);
                // What the model is shown changes first: a crash in between leaves a call that is told as interrupted.
                let offered = desk.take().map(|offered| Record::Offered { offered });
                let finished = Record::Finished { call: key, outcome };
                Happening::Recorded(offered.into_iter().chain([finished]).collect())
            }
            .boxed(),
        );
    }

    /// Reports whether a tool tells in a dry run what it would change, instead of changing it.
    fn rehearses(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.window.any(&call.name) else {
            return false;
        };
        let facts = dispatch::facts(&*tool, self.context, &call.arguments);
        self.context.is_dry_run() && facts.is_ok_and(|facts| facts.rehearses)
    }

    /// Hands calls out to be run elsewhere, once it is written down that they are.
    pub(super) async fn submit(&mut self, calls: Vec<CallKey>) -> Result<bool, Unrecorded> {
        let submitted = Record::Submitted {
            calls: calls.clone(),
        };
        self.record(vec![submitted]).await?;
        for key in calls {
            if let Some(call) = self.turn.call(key) {
                let requested = EventKind::ExternalRequested {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                };
                self.teller.tell_of(key, requested);
            }
        }
        Ok(true)
    }
}

/// Makes of a result what the model reads and what is written down.
pub(super) async fn read(
    agent: &Agent,
    window: &Window,
    site: &CallSite,
    session: &SessionId,
    calls: usize,
    result: ToolResult,
) -> Outcome {
    read_of(
        agent,
        window.any(&site.call.name),
        site,
        session,
        calls,
        result,
    )
    .await
}

/// Does what [`read`] does for a result of a tool, or of none.
pub(super) async fn read_of(
    agent: &Agent,
    tool: Option<Arc<dyn Tool>>,
    site: &CallSite,
    session: &SessionId,
    calls: usize,
    result: ToolResult,
) -> Outcome {
    let mut input = ReadInput::new(session, &site.address, &site.call).calls(calls);
    if let Some(tool) = &tool {
        input = input.spec(tool.spec());
    }
    agent.reader.read(input, result).await.outcome
}

/// Begins the context of one call. The agent's reader cuts the result, so that nothing before it does.
fn context(
    of: &ToolContext,
    site: &CallSite,
    key: CallKey,
    progress: Progress,
) -> ToolContextBuilder {
    of.derive()
        .agent(site.origin.agent.clone())
        .turn(site.origin.turn.clone())
        .call(site.call.id.clone())
        .address(site.address.clone())
        .message_number(key.round)
        .whole_results(true)
        .progress(progress)
}

/// Runs a call, with the agent's hooks around it.
async fn run(
    agent: &Agent,
    window: &Window,
    site: &CallSite,
    context: ToolContext,
    is_cached: &AtomicBool,
) -> ToolResult {
    let ToolCall {
        name, arguments, ..
    } = &site.call;
    let Some(tool) = window.any(name) else {
        return Err(agent.toolset.unknown(name));
    };
    let tool = &tool;
    let call = move |context: ToolContext| async move {
        let answer = agent.result_cache.call(tool, &context, arguments).await;
        is_cached.store(answer.is_cached, Ordering::Relaxed);
        answer.result
    };
    if agent.hooks.is_empty() {
        return call(context).await;
    }
    let (inside, stop) = (Inside::default(), context.cancellation().clone());
    let work = inside.clone();
    let inner = Next::new(move |context: ToolContext| -> BoxFuture<'_, ToolResult> {
        work.run(call(context)).boxed()
    });
    let hooks = agent.hooks.around(inner, move |hook, context, next| {
        hook.tool_call(site, context, next)
    });
    let result = until_stopped(hooks.run(context), &stop, &inside).await;
    result.unwrap_or_else(|| {
        let left = Interrupted::cancelled(inside.has_begun());
        Err(ToolError::Cancelled(left))
    })
}

/// Says what a call would have done, had this not been a dry run.
fn would_call(call: &ToolCall) -> Outcome {
    let text = format!(
        "Dry run, nothing was done: would call {} with {}",
        call.name, call.arguments
    );
    Outcome::ok(Content::text(text))
}
