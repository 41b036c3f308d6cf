//! The execution of one tool call: judge, request approval, run and process the result.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use rmcp::model::{CallToolResult, ErrorData};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::approval::ApprovalRequester;
use super::egress::EgressApproval;
use super::execution_permit::ExecutionPermit;
use super::result;
use crate::client::{CallClient, UndeclaredCapability};
use crate::progress::ProgressReporter;
use crate::response::RequestResult;
use crate::session::Session;
use crate::settings::Settings;
use helve_core::authority;
use helve_core::sandbox::EgressGate;
use helve_core::tool::dispatch::panic_message;
use helve_core::tool::{
    Concurrency, Execution, ProgressBuffer, ProgressSettings, Tool, ToolContext, ToolError,
    ToolResult,
};
use helve_core::transcript::{CallKey, ToolCall};
use helve_permission::call::{AskVerdict, CallOutcome, CallSite, PermittedCall, Pipeline};
use helve_permission::{Question, label_downloads};

pub(super) struct ToolExecution {
    pub(super) settings: Arc<Settings>,
    pub(super) session: Arc<Session>,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) tool_call: ToolCall,
    pub(super) key: CallKey,
    /// Set while the call holds its execution permit.
    pub(super) is_executing: Arc<AtomicBool>,
    pub(super) reports_progress: bool,
    pub(super) client: Arc<CallClient>,
    pub(super) cancellation: CancellationToken,
}

impl ToolExecution {
    /// Executes the call; a panic in the tool, a hook or the approver is a failed call.
    pub(super) async fn run(self) -> RequestResult {
        let span = tracing::info_span!(
            "execute_tool",
            otel.name = format_args!("tools/call {}", self.tool_call.name),
            otel.kind = "server",
            mcp.method.name = "tools/call",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = %self.tool_call.name,
        );
        let execution = AssertUnwindSafe(self.execute()).catch_unwind();
        match execution.instrument(span).await {
            Ok(Ok(result)) => RequestResult::Tool(result),
            Ok(Err(error)) => RequestResult::Failed(error),
            Err(panic) => {
                let message = panic_message(&*panic);
                RequestResult::Tool(result::not_run(format!(
                    "the server panicked, which is a defect in it: {message}"
                )))
            }
        }
    }

    /// Executes the call.
    ///
    /// # Errors
    ///
    /// Fails if the request itself fails; an error of the tool is a result.
    async fn execute(&self) -> Result<CallToolResult, ErrorData> {
        let context = self.context();
        let pipeline = self.pipeline();
        let judging = pipeline.judge(Arc::new(self.site()), Arc::clone(&self.tool), &context);
        let mut judged = match judging.await {
            Ok(judged) => judged,
            Err(error) => return Ok(self.process(Err(error)).await),
        };
        if let Some(error) = self.unsupported_execution(judged.execution()) {
            return Ok(self.process(Err(error)).await);
        }
        let mut remark = None;
        if let Some(asking) = AskVerdict::from_verdict(judged.verdict()) {
            let policy = &self.session.policy;
            let requester = ApprovalRequester::new(&self.settings, &self.client);
            // Boxed, as most calls are allowed without a question.
            let decision = Box::pin(requester.request_for_call(policy, &judged, asking, &context));
            let decision = decision.await;
            if let Some(refusal) = decision.refusal() {
                return Ok(result::not_run(refusal));
            }
            remark = decision.remark().map(str::to_owned);
            judged.apply_decision(&decision);
        }
        let is_exclusive = judged.facts().concurrency == Concurrency::Exclusive;
        let permitted = match judged.permit() {
            Ok(permitted) => permitted,
            Err(denied) => return Ok(result::not_run(denied.to_string())),
        };
        let mut result = self.run_permitted(permitted, context, is_exclusive).await?;
        if let Some(remark) = remark {
            let text = format!("The user allowed this call and said: {remark}");
            result.content.push(rmcp::model::ContentBlock::text(text));
        }
        Ok(result)
    }

    fn pipeline(&self) -> Pipeline<'_> {
        let settings = &self.settings;
        Pipeline {
            policy: &self.session.policy,
            hooks: &settings.hooks,
            cache: &settings.result_cache,
        }
    }

    fn site(&self) -> CallSite {
        CallSite::new(
            self.session.origin.clone(),
            self.key,
            self.tool_call.clone(),
        )
    }

    /// Waits for the execution permit, and runs the tool.
    async fn run_permitted(
        &self,
        call: PermittedCall,
        context: ToolContext,
        is_exclusive: bool,
    ) -> Result<CallToolResult, ErrorData> {
        let permit = ExecutionPermit::acquire(&self.session, is_exclusive).await;
        let Some(_permit) = permit else {
            return Ok(result::not_run(
                "Not run: another call of this client runs alone, and waits for an answer of the client; answer it, then \
                 try again",
            ));
        };
        self.is_executing.store(true, Ordering::Relaxed);
        let _executing = ResetOnDrop(&self.is_executing);
        let guarding = self.session.policy.guard_commands(&*self.tool, &context);
        let gate = match guarding.await {
            Ok(gate) => gate,
            Err(error) => return Ok(self.process(Err(error)).await),
        };
        let _egress = gate.map(|gate| self.attach_egress(gate, &context));
        let tool_result = match self.run_in_pipeline(call, context.clone()).await {
            CallOutcome::DryRun(text) => return Ok(result::dry_run(text)),
            CallOutcome::Ran { result, .. } => result,
        };
        let error = tool_result.as_ref().err();
        if let Some(error) = error.and_then(|error| self.request_error(error)) {
            return Err(error);
        }
        let result = self.process(tool_result).await;
        let label = label_downloads(&*self.tool, &context);
        self.session.policy.join_label(&label);
        self.session.policy.hold_connections(&self.session.context);
        Ok(result)
    }

    /// Runs the tool, with notifications of its progress if the client wants them.
    async fn run_in_pipeline(&self, call: PermittedCall, context: ToolContext) -> CallOutcome {
        let pipeline = self.pipeline();
        if !self.reports_progress {
            return pipeline.run(call, context).await;
        }
        let client = &self.client;
        let reporter = ProgressReporter::new(client.messages.clone(), client.redactor.clone());
        let progress = ProgressBuffer::new(&ProgressSettings::default(), reporter);
        let context = context.derive().progress(progress.progress()).build();
        // Boxed, as the future of every call would hold both ways to run.
        let outcome = Box::pin(progress.run_with_flush(pipeline.run(call, context))).await;
        progress.close();
        outcome
    }

    /// Lets the commands of the call ask for approval of their connections.
    fn attach_egress(&self, gate: Arc<EgressGate>, context: &ToolContext) -> EgressApproval {
        let session = &self.session;
        let origin = &session.origin;
        // Sessions may share a sandbox, so that the id of the call alone is not unique.
        let id = format!("{} {}", session.id, origin.call_address(self.key));
        let template = Question::new(origin.clone(), self.key, &self.tool_call, "")
            .with_session(session.id.clone(), context.principal().clone())
            .with_suggestions(true, Vec::new());
        let requester = ApprovalRequester::new(&self.settings, &self.client);
        EgressApproval::attach(gate, id, requester, template)
    }

    /// Returns the error of the request for a tool error that the model should not see as a result.
    fn request_error(&self, error: &ToolError) -> Option<ErrorData> {
        if let ToolError::Fatal(fatal) = error {
            let message = self.client.redactor.redact(&fatal.message).into_owned();
            return Some(ErrorData::internal_error(message, None));
        }
        let must_declare = self.client.features.must_declare;
        must_declare
            .then(|| UndeclaredCapability::find_in(error))
            .flatten()
    }

    fn context(&self) -> ToolContext {
        let session = &self.session;
        let mut grants = authority::grants(&session.context).clone();
        grants.client = Some(self.client.clone());
        let context = session.context.derive();
        let mut context = context
            .call(self.tool_call.id.clone())
            .address(session.origin.call_address(self.key))
            .message_number(self.key.round)
            .untruncated_results(true)
            .result_budget(self.settings.results.share(1))
            .grants(grants)
            .cancellation(self.cancellation.clone());
        // A secret that a tool gets by its name, or sends, is redacted in every result.
        let redactor = self.settings.results.secret_redactor();
        context.watch_secrets(|backend| redactor.watch(backend));
        context.build()
    }

    /// Returns an error for a call that the tool hands to another process, which only an agent's turn supports. A tool that
    /// can run here, too, asks the client instead.
    fn unsupported_execution(&self, execution: &Execution) -> Option<ToolError> {
        match execution {
            Execution::Local => None,
            Execution::External if !self.tool.is_external() => None,
            _ => Some(ToolError::NotAvailable(format!(
                "`{}` is executed externally, which only an agent's turn can wait for",
                self.tool_call.name
            ))),
        }
    }

    /// Processes a result as the agent does for a model, and adds its label to the session.
    async fn process(&self, tool_result: ToolResult) -> CallToolResult {
        let pipeline = &self.settings.results;
        let (session, spec) = (&self.session, self.tool.spec());
        let address = session.origin.call_address(self.key);
        let call = &self.tool_call;
        let processed =
            result::process(pipeline, &session.id, &address, call, spec, tool_result).await;
        session.policy.join_label(&processed.label());
        session.policy.hold_connections(&session.context);
        result::to_rmcp(&processed, spec)
    }
}

/// Sets a flag to `false` when it is dropped.
struct ResetOnDrop<'a>(&'a AtomicBool);

impl Drop for ResetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
