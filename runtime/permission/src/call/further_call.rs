//! Calls of other tools that a hook makes around a call.

use std::sync::Arc;

use super::{CallHooks, CallOutcome, CallSite, Next, Pipeline, ResultCache};
use crate::{Rule, Verdict};
use helve_core::tool::{Denial, Tool, ToolContext, ToolError, ToolOutput, ToolResult};
use helve_core::transcript::{RawJson, ToolCall};

impl CallSite {
    /// Calls another tool for a hook that runs around this call, as if the rule allowed it: the rule stands for a setting
    /// with which the user has answered the question about such calls.
    ///
    /// The policy of this call and its ceilings judge the other call. Where they would still ask, such as by an ask rule,
    /// about a dangerous path, or after the model has read untrusted text, the call is denied, since no approver is asked.
    /// No hooks run around it.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::Denied`] with the reason if the policy does not permit the call, or if this call is not
    /// running; and the errors of the tool.
    pub async fn call_with_rule(
        &self,
        tool: Arc<dyn Tool>,
        context: &ToolContext,
        arguments: &str,
        rule: Rule,
    ) -> ToolResult {
        let Some(policy) = &self.policy else {
            let reason = "no policy has judged the call around it";
            return Err(ToolError::Denied(Denial::new(reason)));
        };
        let policy = policy.with_granted_rule(rule);
        let cache = ResultCache::new();
        let pipeline = Pipeline {
            policy: &policy,
            hooks: &NoHooks,
            cache: &cache,
        };
        let call = ToolCall::new(&*self.call.id, &*tool.spec().name, arguments);
        let site = Self {
            call,
            decided_by: None,
            policy: None,
            ..self.clone()
        };
        let judged = pipeline.judge_again(Arc::new(site), tool, context).await?;
        if let Verdict::Ask { reason, .. } | Verdict::Deny { reason } = judged.verdict() {
            return Err(ToolError::Denied(Denial::new(reason.as_str())));
        }
        let running = pipeline.run(judged.permit()?, context.clone());
        match Box::pin(running).await {
            CallOutcome::Ran { result, .. } => result,
            CallOutcome::DryRun(text) => Ok(ToolOutput::plain(text)),
        }
    }
}

/// No hooks.
struct NoHooks;

impl CallHooks for NoHooks {
    fn is_empty(&self) -> bool {
        true
    }

    fn wrap_arguments<'a>(
        &'a self,
        _site: &'a CallSite,
        inside: Next<'a, RawJson, RawJson>,
    ) -> Next<'a, RawJson, RawJson> {
        inside
    }

    fn wrap_permission<'a>(
        &'a self,
        _site: &'a CallSite,
        inside: Next<'a, (), Verdict>,
    ) -> Next<'a, (), Verdict> {
        inside
    }

    fn wrap_tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        inside: Next<'a, ToolContext, ToolResult>,
    ) -> Next<'a, ToolContext, ToolResult> {
        inside
    }
}
