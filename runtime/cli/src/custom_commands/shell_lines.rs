//! Runs the command lines of a command with the tool `bash`.
//!
//! Nobody typed these lines: they run as the model's do, in the sandbox, judged by the rules and the mode. The `!` of a
//! chat runs outside of the sandbox, because the user types its line.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::tool_names::AllowedTools;
use crate::app_context::AppContext;
use crate::attachments::enclose;
use crate::non_interactive::NonInteractive;
use crate::permissions;
use crate::runner::RunOptions;
use crate::runner::interrupt::interrupt_on_ctrl_c;
use helve_core::tool::{ToolContext, ToolError};
use helve_core::transcript::{CallKey, ContentBlock, Origin, ToolCall};
use helve_permission::call::{
    AskVerdict, CallOutcome, CallSite, JudgedCall, Pipeline, ResultCache,
};
use helve_permission::{Answer, Approver, Decision, Policy};
use helve_results::{ResultInput, ResultPipeline};
use helve_terminal::questions::Terminal;
use helve_terminal::{output, sanitize};

const TOOL: &str = "bash";

/// The reason why a command line did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShellLineError {
    #[error("the command runs `{line}`, but this program has no tool `{TOOL}`")]
    NoTool { line: String },
    #[error("the command runs `{line}`, but its `allowed-tools` does not name `{TOOL}`")]
    NotAllowed { line: String },
    #[error("`{line}` of the command did not run, and nothing was sent: {why}")]
    Failed { line: String, why: String },
}

/// Checks that the command is not limited to other tools.
pub(super) fn check_allowed(
    allowed: Option<&AllowedTools>,
    line: &str,
) -> Result<(), ShellLineError> {
    match allowed {
        Some(allowed) if !allowed.contains(TOOL) => Err(ShellLineError::NotAllowed {
            line: sanitize::one_line(line).into_owned(),
        }),
        _ => Ok(()),
    }
}

/// Runs command lines.
pub(super) struct ShellLines<'a> {
    pub(super) app: &'a AppContext,
    pub(super) options: &'a RunOptions,
    /// The policy within the limit of the command.
    pub(super) policy: Policy,
    /// Whether the user is asked at the terminal.
    pub(super) asks: bool,
}

impl ShellLines<'_> {
    /// Runs a line. Returns its output as the model receives it.
    pub(super) async fn run(&self, line: &str) -> Result<String, ShellLineError> {
        let stop = CancellationToken::new();
        let context = self.options.context(self.app, stop.clone());
        let _listening = interrupt_on_ctrl_c(stop);
        let shown = || sanitize::one_line(line).into_owned();
        if self.app.tools.granted().get(TOOL).is_none() {
            return Err(ShellLineError::NoTool { line: shown() });
        }
        let ran = self.call(line, &context).await;
        let text = ran.map_err(|error| ShellLineError::Failed {
            line: shown(),
            why: error.to_string(),
        })?;
        Ok(enclose("command_output", "command", line, &text))
    }

    async fn call(&self, line: &str, context: &ToolContext) -> Result<String, ToolError> {
        let Some(tool) = self.app.tools.granted().get(TOOL) else {
            return Err(ToolError::failed("the tool is gone"));
        };
        let cache = ResultCache::new();
        let pipeline = Pipeline {
            policy: &self.policy,
            hooks: &self.app.definition.hooks,
            cache: &cache,
        };
        let call = ToolCall::new("command", TOOL, json!({ "command": line }).to_string());
        let site = Arc::new(CallSite::new(
            Origin::new("command", "command"),
            CallKey::new(1, 0),
            call,
        ));
        let mut judged = pipeline
            .judge(Arc::clone(&site), Arc::clone(&tool), context)
            .await?;
        if let Some(asking) = AskVerdict::from_verdict(judged.verdict()) {
            let decision = self.ask(&judged, asking, context).await;
            if let Some(refusal) = decision.refusal() {
                return Err(ToolError::failed(refusal));
            }
            judged.apply_decision(&decision);
        }
        let call = judged.permit()?;
        output::note(&format!("running `{}`", sanitize::one_line(line)));
        let result = match pipeline.run(call, context.clone()).await {
            CallOutcome::DryRun(text) => return Ok(text),
            CallOutcome::Ran { result, .. } => result?,
        };
        // The pipeline of results encloses text of others, and removes escapes and secrets.
        let input = ResultInput::new(context.session_id(), &site.address, &site.call);
        let results = ResultPipeline::new().budget(self.options.result_budget);
        let processed = results.process(input.spec(tool.spec()), Ok(result)).await;
        let blocks = processed.outcome.content.iter();
        let texts: Vec<&str> = blocks.filter_map(ContentBlock::as_text).collect();
        Ok(texts.join("\n"))
    }

    async fn ask(
        &self,
        judged: &JudgedCall,
        asking: AskVerdict,
        context: &ToolContext,
    ) -> Decision {
        let policy = &self.policy;
        let question = judged
            .build_question(asking, policy, context)
            .resolve()
            .await;
        let terminal = Terminal::attached().filter(|_| self.asks);
        let answer = match terminal {
            Some(terminal) => terminal.ask(&question).await,
            None => NonInteractive::new().ask(&question).await,
        };
        let Answer::Decided(decision) = answer else {
            let reason = "the question was not answered".to_owned();
            return Decision::Unanswered { reason };
        };
        policy.apply_decision(&decision);
        let files = permissions::rule_files(&self.app.folder);
        if let Err(error) = files.save_decision(&decision).await {
            output::error(&error);
        }
        decision
    }
}
