//! A judged call, and the permission to run it.

use std::sync::Arc;

use super::CallSite;
use crate::judge::Judge;
use crate::{Decider, Decision, Judgement, Policy, Rule, Verdict};
use helve_core::tool::links::Links;
use helve_core::tool::{Denial, Execution, Facts, PreparedCall, Tool, ToolContext, ToolError};

/// A judged call with the facts of its judgement. The call that runs is exactly the call that was judged.
#[derive(Debug)]
pub struct JudgedCall {
    pub(super) site: Arc<CallSite>,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) prepared: PreparedCall,
    /// The resolved targets of the call's paths.
    pub(super) links: Option<Arc<Links>>,
    judgement: Judgement,
    /// The verdict after the hooks.
    verdict: Verdict,
    /// Whether the call is a dry run, which only describes its effect.
    dry_run: bool,
    /// Whether an approver allowed the call.
    is_approved: bool,
    /// Whether a hook changed the arguments.
    is_rewritten: bool,
}

impl JudgedCall {
    /// Creates the call on the heap, where it stays.
    #[inline]
    pub(super) fn new(
        site: Arc<CallSite>,
        tool: Arc<dyn Tool>,
        prepared: PreparedCall,
        judgement: Judgement,
        links: Option<Arc<Links>>,
        context: &ToolContext,
    ) -> Box<Self> {
        let dry_run = context.is_dry_run() && !is_read_only(&judgement);
        Box::new(Self {
            site,
            tool,
            prepared,
            links,
            verdict: judgement.verdict.clone(),
            judgement,
            dry_run,
            is_approved: false,
            is_rewritten: false,
        })
    }

    /// Returns the context with the targets of the call's paths as they were when the call was judged.
    pub(super) fn context(&self, context: &ToolContext) -> ToolContext {
        match &self.links {
            Some(links) if !links.is_empty() => context.with_links(Arc::clone(links)),
            _ => context.clone(),
        }
    }

    pub(super) fn set_verdict(&mut self, verdict: Verdict) {
        self.verdict = verdict;
    }

    /// Returns the call site, with the arguments as they were judged.
    pub fn site(&self) -> &Arc<CallSite> {
        &self.site
    }

    /// Returns the tool.
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Returns the judgement of the policy, before the hooks.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// Returns the facts of the call.
    pub fn facts(&self) -> &Facts {
        &self.judgement.facts
    }

    /// Returns how the call is executed.
    pub fn execution(&self) -> &Execution {
        self.prepared.execution()
    }

    /// Reports whether the arguments are not those of the model: they had to be repaired, or a hook changed them.
    pub fn has_other_arguments(&self) -> bool {
        self.is_rewritten || !self.prepared.repairs().is_empty()
    }

    pub(super) fn set_rewritten(&mut self) {
        self.is_rewritten = true;
    }

    /// Reports whether the call is a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Marks the call as a dry run, as an earlier judgement found.
    pub fn set_dry_run(&mut self) {
        self.dry_run = true;
    }

    /// Reports whether granting a rule would let the whole call run, which needs approval without the rule.
    pub fn is_satisfied_by(&self, rule: &Rule, policy: &Policy, context: &ToolContext) -> bool {
        let context = self.context(context);
        Judge::new(policy, &*self.tool, &context, &self.prepared).permits_with(rule)
    }

    /// Applies the answer to the question about the call. A decision has no effect on a call that needs no approval.
    pub fn apply_decision(&mut self, decision: &Decision) {
        self.is_approved |= decision.is_allowed();
    }

    /// Returns the permitted call if the verdict or an answer allows the call.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::Denied`] with a message for the model.
    pub fn permit(self: Box<Self>) -> Result<PermittedCall, ToolError> {
        let reason = match &self.verdict {
            Verdict::Allow => return Ok(PermittedCall { judged: self }),
            Verdict::Ask { .. } if self.is_approved => return Ok(PermittedCall { judged: self }),
            Verdict::Ask { reason, .. } => {
                format!("it needs approval ({reason}), which was not given; call the tool again")
            }
            Verdict::Deny { reason } => reason.clone(),
        };
        let denial = Denial::new(format!("Tool call denied: {reason}"));
        Err(ToolError::Denied(denial))
    }
}

/// A call that may run. It is created only by [`JudgedCall::permit`].
#[derive(Debug)]
pub struct PermittedCall {
    judged: Box<JudgedCall>,
}

impl PermittedCall {
    /// Returns how the call is executed.
    pub fn execution(&self) -> &Execution {
        self.judged.execution()
    }

    pub(super) fn into_judged_call(self) -> Box<JudgedCall> {
        self.judged
    }
}

fn is_read_only(judgement: &Judgement) -> bool {
    judgement.decided_by == Decider::ReadOnly || judgement.facts.annotations.read_only == Some(true)
}
