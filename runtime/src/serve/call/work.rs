//! The work of one call: judged, asked about, run in its turn, and read.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use rmcp::model::{CallToolResult, ErrorData};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{ask, result, turn};
use crate::permission::{Decider, Judgement, Verdict, label_of_commands};
use crate::serve::Server;
use crate::serve::client::{CallClient, Undeclared};
use crate::serve::progress::Told;
use crate::serve::reply::Reply;
use crate::serve::session::Session;
use crate::tool::dispatch::panic_message;
use crate::tool::{
    Concurrency, Execution, ProgressBuffer, ProgressSettings, Tool, ToolContext, ToolError,
    dispatch,
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
        let arguments = &*self.made.arguments;
        let judged = self
            .session
            .policy
            .judge_with_files(&*self.tool, &context, arguments);
        let judgement = match judged.await {
            Ok(judgement) => judgement,
            Err(error) => return Ok(self.read(Err(error)).await),
        };
        if let Some(elsewhere) = self.runs_elsewhere() {
            return Ok(self.read(Err(elsewhere)).await);
        }
        let dry_run = context.is_dry_run() && !only_reads(&judgement);
        let remark = match judgement.verdict {
            Verdict::Allow => None,
            // Nothing will happen, so that there is nothing to ask.
            Verdict::Ask { .. } if dry_run => None,
            Verdict::Deny { reason } => {
                return Ok(result::not_run(format!("Tool call denied: {reason}")));
            }
            verdict @ Verdict::Ask { .. } => match ask::ask(self, &context, verdict).await {
                Ok(remark) => remark,
                Err(refusal) => return Ok(result::not_run(refusal)),
            },
        };
        if dry_run && !judgement.facts.rehearses {
            let ToolCall {
                name, arguments, ..
            } = &self.made;
            return Ok(result::not_run(format!(
                "Dry run, nothing was done: would call {name} with {arguments}"
            )));
        }
        let alone = judgement.facts.concurrency == Concurrency::Exclusive;
        let mut result = self.in_turn(context, alone).await?;
        if let Some(remark) = remark {
            let said = format!("The user allowed this call and said: {remark}");
            result.content.push(rmcp::model::ContentBlock::text(said));
        }
        Ok(result)
    }

    /// Runs the tool when it is its turn.
    async fn in_turn(
        &self,
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
        let arguments = &*self.made.arguments;
        let guarding = self.session.policy.guard_commands(&*self.tool, &context);
        let gate = guarding.await;
        let ran = match self.tells_progress {
            false => dispatch::call(&*self.tool, &context, arguments).await,
            true => {
                let told = Told::new(self.client.out.clone(), self.client.redactor.clone());
                let progress = ProgressBuffer::new(&ProgressSettings::default(), told);
                let context = context.derive().progress(progress.progress()).build();
                let call = dispatch::call(&*self.tool, &context, arguments);
                let ran = progress.during(call).await;
                progress.close();
                ran
            }
        };
        match ran
            .as_ref()
            .err()
            .and_then(|error| self.request_error(error))
        {
            Some(error) => Err(error),
            None => {
                let result = self.read(ran).await;
                if let Some(gate) = gate {
                    let label = label_of_commands(&gate, &self.made.name);
                    self.session.policy.join_label(&label);
                }
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
            .result_budget(self.server.inner.settings.reader.share(1))
            .grants(grants)
            .cancellation(self.stop.clone());
        context.build()
    }

    /// Says why a call cannot be made here, where its work is not done by the tool itself.
    fn runs_elsewhere(&self) -> Option<ToolError> {
        match self.tool.execution(&self.made.arguments) {
            Execution::Local => None,
            _ => Some(ToolError::NotAvailable(format!(
                "`{}` hands its work to somebody else, which only an agent's turn can wait for",
                self.made.name
            ))),
        }
    }

    /// Reads a result as a model's is read; what is untrusted in it makes the session careful.
    async fn read(&self, ran: crate::tool::ToolResult) -> CallToolResult {
        let reader = &self.server.inner.settings.reader;
        let (session, spec) = (&self.session, self.tool.spec());
        let address = session.origin.call(self.key);
        let reading = result::read(reader, &session.id, &address, &self.made, spec, ran).await;
        session.policy.join_label(&reading.label());
        result::of_reading(&reading, spec)
    }
}

/// Takes back that a call has begun.
struct Begun<'a>(&'a AtomicBool);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn only_reads(judgement: &Judgement) -> bool {
    judgement.decided_by == Decider::ReadOnly || judgement.facts.annotations.read_only == Some(true)
}
