//! What somebody is asked about a call.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};

use super::{Judged, catching};
use crate::permission::{Policy, Question, Rule, Verdict, push};
use crate::tool::{Permit, Preview, ToolContext, dispatch};

/// How long a tool may look up what a call would change.
const REHEARSAL: Duration = Duration::from_secs(2);

/// Why somebody has to be asked, and what they can be offered.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    /// Why.
    pub(crate) reason: String,
    /// Whether only a person may answer, for this call alone.
    pub(crate) safety: bool,
    /// Rules that would cover this call and others like it.
    pub(crate) suggestions: Vec<Rule>,
}

impl Asking {
    /// Returns what a verdict asks; `None` where it asks nothing.
    pub(crate) fn of_verdict(verdict: &Verdict) -> Option<Self> {
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

/// A question, or what it takes to write it: a rehearsal of the call.
pub(crate) enum WrittenQuestion<'a> {
    /// It is written.
    Whole(Box<Question>),
    /// It takes time.
    Later(BoxFuture<'a, Question>),
}

impl WrittenQuestion<'_> {
    /// Waits until it is written.
    pub(crate) async fn written(self) -> Question {
        match self {
            Self::Whole(question) => *question,
            Self::Later(question) => question.await,
        }
    }
}

impl Judged {
    /// Writes the question about the call, with its parts as they stand by now, and with what the call would change.
    pub(crate) fn question(
        &self,
        asking: Asking,
        policy: &Policy,
        context: &ToolContext,
    ) -> WrittenQuestion<'static> {
        let question = self.question_without_rehearsal(asking, policy, context);
        if !self.wants_rehearsal() {
            return WrittenQuestion::Whole(Box::new(question));
        }
        let rehearsal = self.rehearse(context);
        WrittenQuestion::Later(async move { question.showing(rehearsal.await) }.boxed())
    }

    fn question_without_rehearsal(
        &self,
        asking: Asking,
        policy: &Policy,
        context: &ToolContext,
    ) -> Question {
        let site = self.site();
        let parts = policy.parts(&**self.tool(), &self.context(context), &self.prepared);
        Question::new(
            site.origin.clone(),
            site.address.call,
            &site.call,
            asking.reason,
        )
        .of(context.session_id().clone(), context.principal().clone())
        .offering(asking.safety, asking.suggestions)
        .because_of(self.judgement().part.clone())
        .of_parts(parts)
        .showing(self.facts().preview.clone())
    }

    /// Reports whether something has to be run to tell what the call would change, or publish.
    fn wants_rehearsal(&self) -> bool {
        let facts = self.facts();
        facts.preview.is_none() && (facts.rehearses || push::pushes(&facts.parts))
    }

    /// Lets a tool that can say so say what the call would change, and lists the commits that it would push. Whoever is
    /// asked sees the arguments where it takes too long, or where the call would fail.
    ///
    /// The rehearsal is a call of its own, with the same text: it uses up its arguments, and the call itself has yet to
    /// run.
    fn rehearse(
        &self,
        context: &ToolContext,
    ) -> impl Future<Output = Option<Preview>> + Send + use<> {
        let (tool, text) = (self.tool().clone(), self.prepared.text().clone());
        let (rehearses, parts) = (self.facts().rehearses, self.facts().parts.clone());
        let outer = context.clone();
        let context = context.derive().dry_run(true).whole_results(true).build();
        let context = context.within(REHEARSAL);
        async move {
            if !rehearses {
                return push::commits(&parts, &outer).await;
            }
            let prepared = dispatch::prepare(&*tool, &context, &text).ok()?;
            let permit = Permit::new(context, prepared.confinement());
            let rehearsal = dispatch::run(&*tool, prepared, permit);
            let output = catching("the tool", rehearsal).await.ok()?.ok()?;
            Preview::of_dry_run(&output.text())
        }
    }
}
