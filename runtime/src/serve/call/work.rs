//! The work of one call: judged, asked about, run in its turn, and read.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use rmcp::model::{CallToolResult, ErrorData};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::connections::AttachedCall;
use super::{ask, result, turn};
use crate::call::{Asking, CallOutcome, CallSite, Permitted, Pipeline};
use crate::permission::label_of_downloads;
use crate::serve::Server;
use crate::serve::client::{CallClient, Undeclared};
use crate::serve::progress::Told;
use crate::serve::reply::Reply;
use crate::serve::session::Session;
use crate::tool::dispatch::panic_message;
use crate::tool::{
    Concurrency, Execution, ProgressBuffer, ProgressSettings, Tool, ToolContext, ToolError,
};
use crate::transcript::{CallKey, ToolCall};

/// All that the work of a call needs.
pub(super) struct Work {
    pub(super) server: Server,
    pub(super) session: Arc<Session>,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) made: ToolCall,
    pub(super) key: CallKey,
    /// Set as long as the call holds its turn.
    pub(super) begun: Arc<AtomicBool>,
    pub(super) tells_progress: bool,
    pub(super) client: Arc<CallClient>,
    pub(super) stop: CancellationToken,
}

impl Work {
    /// Does the work; a panic in whatever takes part is a failed call.
    pub(super) async fn run(self) -> Reply {
        let span = tracing::info_span!(
            "execute_tool",
            otel.name = format_args!("tools/call {}", self.made.name),
            otel.kind = "server",
            mcp.method.name = "tools/call",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %self.made.name,
        );
        let work = AssertUnwindSafe(self.work()).catch_unwind();
        match work.instrument(span).await {
            Ok(result) => result,
            Err(panic) => {
                let message = panic_message(&*panic);
                Reply::Tool(result::not_run(format!(
                    "the server panicked, which is a defect in it: {message}"
                )))
            }
        }
    }

    async fn work(&self) -> Reply {
        match self.result().await {
            Ok(result) => Reply::Tool(result),
            Err(error) => Reply::Failed(error),
        }
    }

    /// Does the work; an error is one of the request.
    async fn result(&self) -> Result<CallToolResult, ErrorData> {
        let context = self.context();
        let pipeline = self.pipeline();
        let judging = pipeline.judge(Arc::new(self.site()), Arc::clone(&self.tool), &context);
        let mut judged = match judging.await {
            Ok(judged) => judged,
            Err(error) => return Ok(self.read(Err(error)).await),
        };
        if let Some(elsewhere) = self.runs_elsewhere(judged.execution()) {
            return Ok(self.read(Err(elsewhere)).await);
        }
        let mut remark = None;
        if let Some(asking) = Asking::of_verdict(judged.verdict()) {
            let decision = ask::ask(self, &judged, asking, &context).await;
            if let Some(refusal) = decision.refusal() {
                return Ok(result::not_run(refusal));
            }
            remark = decision.remark().map(str::to_owned);
            judged.answer(&decision);
        }
        let alone = judged.facts().concurrency == Concurrency::Exclusive;
        let permitted = match judged.permit() {
            Ok(permitted) => permitted,
            Err(denied) => return Ok(result::not_run(denied.to_string())),
        };
        let mut result = self.in_turn(permitted, context, alone).await?;
        if let Some(remark) = remark {
            let said = format!("The user allowed this call and said: {remark}");
            result.content.push(rmcp::model::ContentBlock::text(said));
        }
        Ok(result)
    }

    /// Returns what calls are judged and run with.
    fn pipeline(&self) -> Pipeline<'_> {
        let settings = &self.server.inner.settings;
        Pipeline {
            policy: &self.session.policy,
            hooks: &settings.hooks,
            cache: &settings.result_cache,
        }
    }

    /// Returns where the call is made from.
    fn site(&self) -> CallSite {
        let origin = &self.session.origin;
        CallSite {
            origin: origin.clone(),
            address: origin.call(self.key),
            call: self.made.clone(),
        }
    }

    /// Runs the tool when it is its turn.
    async fn in_turn(
        &self,
        call: Permitted,
        context: ToolContext,
        alone: bool,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(_turn) = turn::turn(&self.session, alone).await else {
            return Ok(result::not_run(
                "Not run: another call of this client runs alone, and waits for an answer of the client; answer it, then \
                 try again",
            ));
        };
        self.begun.store(true, Ordering::Relaxed);
        let _begun = Begun(&self.begun);
        let guarding = self.session.policy.guard_commands(&*self.tool, &context);
        let gate = match guarding.await {
            Ok(gate) => gate,
            Err(error) => return Ok(self.read(Err(error)).await),
        };
        let _attached = gate.map(|gate| AttachedCall::to(gate, self, &context));
        let used = context.clone();
        let pipeline = self.pipeline();
        let outcome = match self.tells_progress {
            false => pipeline.run(call, context).await,
            true => {
                let told = Told::new(self.client.out.clone(), self.client.redactor.clone());
                let progress = ProgressBuffer::new(&ProgressSettings::default(), told);
                let context = context.derive().progress(progress.progress()).build();
                let outcome = progress.during(pipeline.run(call, context)).await;
                progress.close();
                outcome
            }
        };
        let ran = match outcome {
            CallOutcome::DryRun(text) => return Ok(result::dry_run(text)),
            CallOutcome::Ran { result, .. } => result,
        };
        match ran
            .as_ref()
            .err()
            .and_then(|error| self.request_error(error))
        {
            Some(error) => Err(error),
            None => {
                let result = self.read(ran).await;
                let label = label_of_downloads(&*self.tool, &used);
                self.session.policy.join_label(&label);
                self.session.policy.hold_connections(&self.session.context);
                Ok(result)
            }
        }
    }

    /// Returns the error of the request, where a tool failed in a way that is none of the tool's.
    fn request_error(&self, error: &ToolError) -> Option<ErrorData> {
        if let ToolError::Fatal(fatal) = error {
            let message = self.client.redactor.redact(&fatal.message).into_owned();
            return Some(ErrorData::internal_error(message, None));
        }
        let required = self.client.features.required;
        required.then(|| Undeclared::in_failure(error)).flatten()
    }

    /// Makes the context of the call.
    fn context(&self) -> ToolContext {
        let session = &self.session;
        let mut grants = session.context.grants().clone();
        grants.client = Some(self.client.clone());
        let context = session.context.derive();
        let context = context
            .call(self.made.id.clone())
            .address(session.origin.call(self.key))
            .message_number(self.key.round)
            .whole_results(true)
            .result_budget(self.server.inner.settings.results.share(1))
            .grants(grants)
            .cancellation(self.stop.clone());
        context.build()
    }

    /// Says why a call cannot be made here, where its work is not done by the tool itself.
    fn runs_elsewhere(&self, execution: &Execution) -> Option<ToolError> {
        match execution {
            Execution::Local => None,
            _ => Some(ToolError::NotAvailable(format!(
                "`{}` hands its work to somebody else, which only an agent's turn can wait for",
                self.made.name
            ))),
        }
    }

    /// Reads a result as a model's is read; what is untrusted in it makes the session careful.
    async fn read(&self, ran: crate::tool::ToolResult) -> CallToolResult {
        let pipeline = &self.server.inner.settings.results;
        let (session, spec) = (&self.session, self.tool.spec());
        let address = session.origin.call(self.key);
        let reading = result::read(pipeline, &session.id, &address, &self.made, spec, ran).await;
        session.policy.join_label(&reading.label());
        session.policy.hold_connections(&session.context);
        result::of_processed(&reading, spec)
    }
}

/// Takes back that a call has begun.
struct Begun<'a>(&'a AtomicBool);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
