//! The question about a call.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};

use super::{JudgedCall, catch_panics, dry_run_diff};
use crate::judge::Judge;
use crate::{Decider, Policy, Question, Rule, Verdict, git_push};
use helve_core::authority;
use helve_core::tool::{Preview, ToolContext, dispatch};

/// The time limit for a tool to compute the preview of a call.
const PREVIEW_TIMEOUT: Duration = Duration::from_secs(2);

/// The reason why a call needs approval, and the answers that can be offered.
#[derive(Debug, Clone)]
pub struct AskVerdict {
    /// The reason.
    pub reason: String,
    /// Whether only a user may answer, for this call alone.
    pub safety: bool,
    /// Rules that would cover this call and others like it.
    pub suggestions: Vec<Rule>,
}

impl AskVerdict {
    /// Returns the question of a verdict; `None` if the verdict asks nothing.
    pub fn from_verdict(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Ask {
                reason,
                safety,
                suggestions,
            } => Some(Self {
                reason: reason.clone(),
                safety: *safety,
                suggestions: suggestions.clone(),
            }),
            Verdict::Allow | Verdict::Deny { .. } => None,
        }
    }
}

/// A question, or the pending work of building it: a preview run of the call.
pub enum PendingQuestion<'a> {
    /// The question is complete.
    Ready(Box<Question>),
    /// The question is still being built.
    Pending(BoxFuture<'a, Question>),
}

impl PendingQuestion<'_> {
    /// Waits until the question is complete.
    pub async fn resolve(self) -> Question {
        match self {
            Self::Ready(question) => *question,
            Self::Pending(question) => question.await,
        }
    }
}

impl JudgedCall {
    /// Builds the question about the call, with the current state of its parts and the preview of its changes.
    pub fn build_question(
        &self,
        asking: AskVerdict,
        policy: &Policy,
        context: &ToolContext,
    ) -> PendingQuestion<'static> {
        let question = self.build_question_without_preview(asking, policy, context);
        if !self.needs_preview() {
            return PendingQuestion::Ready(Box::new(question));
        }
        let rehearsal = self.preview(context);
        PendingQuestion::Pending(async move { question.with_preview(rehearsal.await) }.boxed())
    }

    fn build_question_without_preview(
        &self,
        asking: AskVerdict,
        policy: &Policy,
        context: &ToolContext,
    ) -> Question {
        let site = self.site();
        let judged_in = self.context(context);
        let parts = Judge::new(policy, &**self.tool(), &judged_in, &self.prepared).parts();
        let (origin, key) = (site.origin.clone(), site.address.call);
        Question::new(origin, key, &site.call, asking.reason)
            .with_session(context.session_id().clone(), context.principal().clone())
            .with_suggestions(asking.safety, asking.suggestions)
            .with_part(self.judgement().part.clone())
            .with_parts(parts)
            .with_preview(self.facts().preview.clone())
            .with_plan_end(self.judgement().decided_by == Decider::PlanApproval)
    }

    /// Reports whether a tool or a program has to run to compute what the call would change or publish.
    fn needs_preview(&self) -> bool {
        let facts = self.facts();
        facts.preview.is_none() && (facts.dry_run_shows_diff || git_push::pushes(&facts.parts))
    }

    /// Computes the preview: the change that the tool reports, and the commits that the call would push. If the preview
    /// takes too long, or the call would fail, the approver sees the arguments instead.
    ///
    /// The preview is a separate call with the same arguments text: a call consumes its arguments, and the call itself
    /// has not run yet.
    fn preview(
        &self,
        context: &ToolContext,
    ) -> impl Future<Output = Option<Preview>> + Send + use<> {
        let (tool, text) = (self.tool().clone(), self.prepared.text().clone());
        let (rehearses, parts) = (self.facts().dry_run_shows_diff, self.facts().parts.clone());
        let outer = context.clone();
        let derived = context.derive().dry_run(true).untruncated_results(true);
        let context = derived.build().with_timeout(PREVIEW_TIMEOUT);
        async move {
            if !rehearses {
                return git_push::preview_commits(&parts, &outer).await;
            }
            let prepared = dispatch::prepare(&*tool, &context, &text).ok()?;
            let permit = authority::issue_permit(context, prepared.confinement());
            let rehearsal = dispatch::run(&*tool, prepared, permit);
            let output = catch_panics("the tool", rehearsal).await.ok()?.ok()?;
            dry_run_diff::parse_preview(&output.text())
        }
    }
}
