//! Asking whether calls may run, and taking the answers, wherever they come from.

use std::time::Duration;

use futures_util::future::FutureExt;
use tokio_util::sync::CancellationToken;

use super::panics::catching;
use super::waiting::Happening;
use super::{Asked, Driver, Unrecorded};
use crate::agent::EventKind;
use crate::agent::offer::Window;
use crate::agent::turn::{Asking, Record};
use crate::permission::{Answer, Decision, Question, Shown};
use crate::tool::{Preview, ToolContext, dispatch};
use crate::transcript::{CallKey, ToolCall};

/// How long a tool may look up what a call would change.
const REHEARSAL: Duration = Duration::from_secs(2);

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Puts questions, all together, once it is written down that they are out.
    pub(super) async fn ask(&mut self, questions: Vec<Asking>) -> Result<bool, Unrecorded> {
        let calls = questions.iter().map(|asking| asking.call).collect();
        self.record(vec![Record::Asked { calls }]).await?;
        for asking in questions {
            self.put(asking).await;
        }
        Ok(true)
    }

    /// Puts questions again that were out when another process had the turn.
    pub(super) async fn ask_again(&mut self, calls: Vec<CallKey>) -> bool {
        let new = calls
            .into_iter()
            .filter(|call| !self.asked.contains_key(call));
        let new: Vec<Asking> = new.filter_map(|call| self.turn.question(call)).collect();
        let any = !new.is_empty();
        for asking in new {
            self.put(asking).await;
        }
        any
    }

    /// Lets the rules of an answer hold from now on, and keeps them as far as they reach.
    pub(super) async fn adopt(&mut self, call: CallKey, decision: &Decision) {
        self.policy.take_in(decision);
        self.keep(call, decision).await;
    }

    #[cfg(feature = "app")]
    async fn keep(&mut self, call: CallKey, decision: &Decision) {
        let why = match self.agent.rule_files.keep(decision).await {
            Ok(None) => return,
            Ok(Some(not_in_force)) => {
                format!("{not_in_force}; `permissions trust` shows and accepts it")
            }
            Err(error) => crate::tool::chain_text(&error),
        };
        let message = format!("the rule holds for this session only: {why}");
        self.teller.tell_of(call, EventKind::Warning { message });
    }

    /// Without the command line there are no files of rules.
    #[cfg(not(feature = "app"))]
    #[expect(clippy::unused_async, reason = "there are files with it")]
    async fn keep(&mut self, _: CallKey, _: &Decision) {}

    /// Looks at a call once more, for what is not recorded of it: its parts, and what it would change by now.
    fn shown(&self, call: &ToolCall) -> Shown {
        let Some(tool) = self.window.any(&call.name) else {
            return Shown::default();
        };
        let shown = self.policy.show(&*tool, self.context, &call.arguments);
        shown.unwrap_or_default()
    }

    async fn put(&mut self, asking: Asking) {
        let key = asking.call;
        let Some(call) = self.turn.call(key).cloned() else {
            return;
        };
        let answered_elsewhere = CancellationToken::new();
        self.asked
            .insert(key, Asked::Out(answered_elsewhere.clone()));
        let context = self.context;
        let mut shown = self.shown(&call);
        if shown.preview.is_none() && shown.rehearses {
            shown.preview = rehearse(&self.window, context, &call).await;
        }
        let question = Question::new(self.origin().clone(), key, &call, asking.reason)
            .of(context.session_id().clone(), context.principal().clone())
            .offering(asking.safety, asking.suggestions)
            .because_of(shown.part)
            .of_parts(shown.parts)
            .showing(shown.preview)
            .working_for(self.authority.chain().to_vec());
        self.teller.tell_of(
            key,
            EventKind::ApprovalRequested {
                call: question.call.clone(),
                name: question.tool.clone(),
                arguments: question.arguments.clone(),
                reason: question.reason.clone(),
                safety: question.safety,
                suggestions: question.suggestions.clone(),
                preview: question.preview.clone(),
            },
        );
        let approver = &self.agent.approver;
        self.working.push(
            async move {
                let asked = tokio::select! {
                    biased;
                    () = answered_elsewhere.cancelled() => return Happening::Recorded(Vec::new()),
                    asked = catching("the approver", approver.ask(&question)) => asked,
                };
                let decision = match asked {
                    Ok(Answer::Decided(decision)) => decision,
                    Ok(Answer::Deferred) => return Happening::Deferred(key),
                    Err(reason) => Decision::Unanswered { reason },
                };
                Happening::Recorded(vec![Record::Answered {
                    call: key,
                    decision,
                }])
            }
            .boxed(),
        );
    }
}

/// Lets a tool that can say so say what a call would change. Whoever is asked sees the arguments where it takes too long,
/// or where the call would fail.
async fn rehearse(window: &Window, context: &ToolContext, call: &ToolCall) -> Option<Preview> {
    let tool = window.any(&call.name)?;
    let context = context.derive().dry_run(true).whole_results(true).build();
    let context = context.within(REHEARSAL);
    let rehearsal = dispatch::call(&*tool, &context, &call.arguments);
    let output = catching("the tool", rehearsal).await.ok()?.ok()?;
    Preview::of_dry_run(&output.text())
}
