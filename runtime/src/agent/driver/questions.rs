//! Asking whether calls may run, and taking the answers, wherever they come from.

use std::sync::Arc;

use futures_util::future::FutureExt;
use tokio_util::sync::CancellationToken;

use super::round_calls::Asked;
use super::telling::Teller;
#[cfg(feature = "app")]
use super::waiting::meanwhile;
use super::waiting::{Happening, RareHappening};
use super::{Driver, Unrecorded};
use crate::agent::EventKind;
use crate::agent::spec::Agent;
use crate::agent::turn::{Asking, Record};
use crate::call::{self, CallSite, WrittenQuestion, catching};
use crate::permission::{Answer, Decision, Question};
use crate::transcript::CallKey;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Puts questions, all together, once it is written down that they are out.
    pub(super) async fn ask(&mut self, questions: Vec<Asking>) -> Result<bool, Unrecorded> {
        let calls = questions.iter().map(|asking| asking.call).collect();
        self.record_one(Record::Asked { calls }).await?;
        for asking in questions {
            self.put(asking);
        }
        Ok(true)
    }

    /// Puts questions again that were out when another process had the turn.
    pub(super) fn ask_again(&mut self, calls: Vec<CallKey>) -> bool {
        let is_asked = |call: &CallKey| {
            self.calls
                .get(*call)
                .is_some_and(|call| call.question.is_some())
        };
        let new = calls.into_iter().filter(|call| !is_asked(call));
        let new: Vec<Asking> = new.filter_map(|call| self.turn.question(call)).collect();
        let any = !new.is_empty();
        for asking in new {
            self.put(asking);
        }
        any
    }

    /// Lets the rules of an answer hold from now on, and keeps them as far as they reach.
    pub(super) async fn adopt(&mut self, call: CallKey, decision: &Decision) {
        self.policy.take_in(decision);
        for (key, call) in self.calls.iter_mut() {
            if let Some(judged) = &mut call.judged
                && self.turn.is_approved(key)
            {
                judged.answer(decision);
            }
        }
        self.keep(call, decision).await;
    }

    #[cfg(feature = "app")]
    async fn keep(&mut self, call: CallKey, decision: &Decision) {
        // Another process may hold the file; running calls go on meanwhile.
        let keeping = self.agent.rule_files.keep(decision);
        let kept = meanwhile(&mut self.working, &mut self.happened, keeping).await;
        let why = match kept {
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

    /// Puts a question, once a tool that can say so has said what the call would change.
    ///
    /// Whatever takes time is a piece of work like any other, so that running calls go on meanwhile.
    fn put(&mut self, asking: Asking) {
        let key = asking.call;
        let Some(site) = self.site(key) else {
            return;
        };
        let answered_elsewhere = CancellationToken::new();
        self.calls.entry(key).question = Some(Asked::Out(answered_elsewhere.clone()));
        let chain = self.authority.chain().to_vec();
        let work = match self.question(site, asking) {
            WrittenQuestion::Whole(question) => {
                let question = Box::new(question.working_for(chain));
                tell_asked(self.teller, key, &question);
                put(self.agent, key, *question).boxed()
            }
            WrittenQuestion::Later(question) => {
                let (agent, teller) = (self.agent, self.teller);
                async move {
                    let question = question.await.working_for(chain);
                    tell_asked(teller, key, &question);
                    put(agent, key, question).await
                }
                .boxed()
            }
        };
        self.working.push(
            async move {
                tokio::select! {
                    biased;
                    () = answered_elsewhere.cancelled() => Happening::AllRecorded(Vec::new()),
                    happening = work => happening,
                }
            }
            .boxed(),
        );
    }

    /// Writes the question about a call.
    fn question(&self, site: Arc<CallSite>, asking: Asking) -> WrittenQuestion<'a> {
        let (context, key) = (self.context, asking.call);
        let asking = call::Asking {
            reason: asking.reason,
            safety: asking.safety,
            suggestions: asking.suggestions,
        };
        let judged = self.calls.get(key).and_then(|call| call.judged.as_ref());
        if let Some(judged) = judged {
            return judged.question(asking, self.policy, context);
        }
        // Another process looked at it.
        let (agent, policy) = (self.agent, self.policy);
        let tool = self.window.any(&site.call.name);
        WrittenQuestion::Later(
            async move {
                let judged = match tool {
                    Some(tool) => {
                        let pipeline = agent.pipeline(policy);
                        pipeline.judge(site.clone(), tool, context).await.ok()
                    }
                    None => None,
                };
                let Some(judged) = judged else {
                    return Question::new(site.origin.clone(), key, &site.call, asking.reason)
                        .of(context.session_id().clone(), context.principal().clone())
                        .offering(asking.safety, asking.suggestions);
                };
                judged.question(asking, policy, context).written().await
            }
            .boxed(),
        )
    }
}

/// Has the approver answer a question.
async fn put(agent: &Agent, key: CallKey, question: Question) -> Happening {
    let asked = catching("the approver", agent.approver.ask(&question)).await;
    let decision = match asked {
        Ok(Answer::Decided(decision)) => decision,
        Ok(Answer::Deferred) => return Happening::Rare(RareHappening::Deferred(key)),
        Err(reason) => Decision::Unanswered { reason },
    };
    Happening::Recorded(Record::Answered {
        call: key,
        decision,
    })
}

fn tell_asked(teller: &Teller, key: CallKey, question: &Question) {
    teller.tell_of(
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
}
