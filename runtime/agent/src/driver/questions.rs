//! Asking for the approval of calls, and adopting the answers.

use std::sync::Arc;

use futures_util::future::FutureExt;
use tokio_util::sync::CancellationToken;

use super::driver_event::{DriverEvent, RareEvent};
use super::event_emitter::EventEmitter;
use super::round_calls::QuestionState;
use super::state::{Driver, Recorded};
use crate::EventKind;
use crate::spec::Agent;
use crate::turn::{CallQuestion, Record};
use helve_core::transcript::CallKey;
use helve_permission::call::{self, CallSite, PendingQuestion, catch_panics};
use helve_permission::{Answer, Decision, Question};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Asks questions concurrently after they are recorded.
    pub(super) async fn ask(&mut self, questions: Vec<CallQuestion>) -> Recorded<bool> {
        let calls = questions.iter().map(|asking| asking.call).collect();
        self.record_one(Record::Asked { calls }).await?;
        for asking in questions {
            self.start_question(asking);
        }
        Ok(true)
    }

    /// Asks the questions again that another process had asked.
    pub(super) fn ask_again(&mut self, calls: Vec<CallKey>) -> bool {
        let is_new = |call: &CallKey| {
            let call = self.calls.get(*call);
            call.is_none_or(|call| call.question.is_none())
        };
        let new = calls.into_iter().filter(is_new);
        let new: Vec<CallQuestion> = new.filter_map(|call| self.turn.question(call)).collect();
        let any = !new.is_empty();
        for asking in new {
            self.start_question(asking);
        }
        any
    }

    /// Adds the rules of an answer to the policy, and saves them in the files of their scope.
    pub(super) async fn apply_decision(&mut self, call: CallKey, decision: &Decision) {
        self.policy.apply_decision(decision);
        for (key, call) in self.calls.iter_mut() {
            if let Some(judged) = &mut call.judged
                && self.turn.is_approved(key)
            {
                judged.apply_decision(decision);
            }
        }
        self.save_rules(call, decision).await;
    }

    async fn save_rules(&mut self, call: CallKey, decision: &Decision) {
        // Another process may hold the lock of the file; running calls continue in the meantime.
        let keeping = self.agent.rule_files.save_decision(decision);
        let kept = self.in_flight.drive_while(keeping).await;
        let why = match kept {
            Ok(None) => return,
            Ok(Some(not_in_force)) => {
                format!("{not_in_force}; `permissions trust` shows and accepts it")
            }
            Err(error) => helve_core::tool::chain_text(&error),
        };
        let message = format!("the rule applies only to this session: {why}");
        self.events.emit_for(call, EventKind::Warning { message });
    }

    /// Asks a question, after a rehearsal of the call if the tool supports one.
    ///
    /// The rehearsal and the approver are work in flight, so that running calls continue in the meantime.
    fn start_question(&mut self, asking: CallQuestion) {
        let key = asking.call;
        let Some(site) = self.call_site(key) else {
            return;
        };
        let answered_elsewhere = CancellationToken::new();
        self.calls.entry(key).question = Some(QuestionState::Asked(answered_elsewhere.clone()));
        let chain = self.authority.callers.clone();
        let work = match self.build_question(site, asking) {
            PendingQuestion::Ready(question) => {
                let question = Box::new(question.with_delegators(chain));
                emit_question(self.events, key, &question);
                ask_approver(self.agent, key, *question).boxed()
            }
            PendingQuestion::Pending(question) => {
                let (agent, events) = (self.agent, self.events);
                async move {
                    let question = question.await.with_delegators(chain);
                    emit_question(events, key, &question);
                    ask_approver(agent, key, question).await
                }
                .boxed()
            }
        };
        self.in_flight.push(
            async move {
                tokio::select! {
                    biased;
                    () = answered_elsewhere.cancelled() => DriverEvent::Records(Vec::new()),
                    event = work => event,
                }
            }
            .boxed(),
        );
    }

    fn build_question(&self, site: Arc<CallSite>, asking: CallQuestion) -> PendingQuestion<'a> {
        let (context, key) = (self.context, asking.call);
        let asking = call::AskVerdict {
            reason: asking.reason,
            safety: asking.safety,
            suggestions: asking.suggestions,
        };
        let judged = self.calls.get(key).and_then(|call| call.judged.as_ref());
        if let Some(judged) = judged {
            return judged.build_question(asking, self.policy, context);
        }
        // Another process judged the call.
        let (agent, policy) = (self.agent, self.policy);
        let tool = self.tools.visible.find_any(&site.call.name);
        PendingQuestion::Pending(
            async move {
                let pipeline = agent.pipeline(policy);
                let judged = match tool {
                    Some(tool) => pipeline.judge(site.clone(), tool, context).await.ok(),
                    None => None,
                };
                let Some(judged) = judged else {
                    return Question::new(site.origin.clone(), key, &site.call, asking.reason)
                        .with_session(context.session_id().clone(), context.principal().clone())
                        .with_suggestions(asking.safety, asking.suggestions);
                };
                let question = judged.build_question(asking, policy, context);
                question.resolve().await
            }
            .boxed(),
        )
    }
}

async fn ask_approver(agent: &Agent, key: CallKey, question: Question) -> DriverEvent {
    let asked = catch_panics("the approver", agent.approver.ask(&question)).await;
    let decision = match asked {
        Ok(Answer::Decided(decision)) => decision,
        Ok(Answer::Deferred) => return DriverEvent::Rare(RareEvent::QuestionDeferred(key)),
        Err(reason) => Decision::Unanswered { reason },
    };
    DriverEvent::Record(Record::Answered {
        call: key,
        decision,
    })
}

fn emit_question(events: &EventEmitter, key: CallKey, question: &Question) {
    events.emit_for(
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
