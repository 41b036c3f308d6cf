//! An approver whose questions hooks may answer first.

use futures_util::future::BoxFuture;

use crate::command_hooks::CommandHooks;
use crate::output::HookDecision;
use helve_core::transcript::ToolCall;
use helve_permission::call::CallSite;
use helve_permission::{Answer, Approver, Decision, Question};

/// Lets the hooks of `PermissionRequest` answer questions before an approver does, and runs those of `Notification`.
///
/// A hook can deny any call. It can allow a call that a rule could allow, and nothing else: not a question that only a
/// user may answer, and not one of an ask rule. A hook that fails answers nothing.
#[derive(Debug, Clone)]
pub struct HookApprover<A> {
    approver: A,
    hooks: CommandHooks,
}

impl<A> HookApprover<A> {
    /// Creates the approver from the one that answers what no hook answers.
    pub fn new(approver: A, hooks: CommandHooks) -> Self {
        Self { approver, hooks }
    }

    async fn ask_hooks(&self, question: &Question) -> Option<Answer> {
        if question.blocked.is_some() {
            return None;
        }
        let call = ToolCall::new(
            question.call.clone(),
            question.tool.clone(),
            question.arguments.clone(),
        );
        let site = CallSite::new(question.origin.clone(), question.address.call, call)
            .in_session(question.session.clone());
        let outcome = self.hooks.before_question(&site).await;
        match outcome.decision? {
            HookDecision::Deny => {
                let reason = match outcome.reason {
                    Some(reason) => format!("a hook denied the call: {reason}"),
                    None => "a hook denied the call".to_owned(),
                };
                Some(Decision::Unanswered { reason }.into())
            }
            HookDecision::Allow if self.hooks.may_allow(&site) => {
                Some(Decision::allow_once().into())
            }
            _ => None,
        }
    }
}

impl<A: Approver> Approver for HookApprover<A> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            if let Some(answer) = self.ask_hooks(question).await {
                return answer;
            }
            let message = format!("approval needed for `{}`", question.tool);
            self.hooks.notify(&message, "permission_prompt");
            self.approver.ask(question).await
        })
    }
}
