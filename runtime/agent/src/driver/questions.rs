//! Asking for the approval of calls, and adopting the answers.

use std::sync::Arc;

use futures_util::future::FutureExt;
use tokio_util::sync::CancellationToken;

use super::driver_event::{DriverEvent, RareEvent};
use super::event_emitter::EventEmitter;
use super::planning;
use super::reviewing::guard_call;
use super::round_calls::QuestionState;
use super::state::{Driver, Recorded};
use crate::EventKind;
use crate::exposure::VisibleTools;
use crate::spec::Agent;
use crate::turn::{CallQuestion, Plan, Record};
use helve_core::tool::{ToolContext, ToolError};
use helve_core::transcript::{CallKey, RawJson};
use helve_permission::call::{self, CallSite, JudgedCall, PendingQuestion, catch_panics};
use helve_permission::{Answer, Decision, Policy, Question};

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
        self.apply_plan_approval(call, decision);
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
        let asker = Asker {
            agent: self.agent,
            policy: self.policy,
            context: self.context,
            visible: Arc::clone(&self.tools.visible),
            site: Arc::clone(&site),
            key,
        };
        let work = match self.build_question(site, asking) {
            PendingQuestion::Ready(question) => {
                let question = Box::new(question.with_delegators(chain).with_edits(true));
                emit_question(self.events, key, &question);
                asker.ask(*question).boxed()
            }
            PendingQuestion::Pending(question) => {
                let events = self.events;
                async move {
                    let question = question.await.with_delegators(chain).with_edits(true);
                    emit_question(events, key, &question);
                    asker.ask(question).await
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

    /// Records the new arguments of a call, which is run or asked about as its new plan says. A question that was answered
    /// elsewhere in the meantime is not open anymore, and the arguments are not changed.
    pub(super) async fn replace_arguments(
        &mut self,
        key: CallKey,
        plan: Plan,
        judged: Box<JudgedCall>,
    ) -> Recorded {
        if self.turn.question(key).is_none() {
            return Ok(());
        }
        self.record_one(Record::Edited { call: key, plan }).await?;
        let call = self.calls.entry(key);
        call.question = None;
        call.judged = Some(judged);
        Ok(())
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

/// What is needed to ask about a call, and to judge it with other arguments.
struct Asker<'a> {
    agent: &'a Agent,
    policy: &'a Policy,
    context: &'a ToolContext,
    visible: Arc<VisibleTools>,
    site: Arc<CallSite>,
    key: CallKey,
}

impl Asker<'_> {
    async fn ask(self, mut question: Question) -> DriverEvent {
        let key = self.key;
        let decision = loop {
            let asked = self.agent.approver.ask(&question);
            let arguments = match catch_panics("the approver", asked).await {
                Ok(Answer::Decided(decision)) => break decision,
                Ok(Answer::Deferred) => return DriverEvent::Rare(RareEvent::QuestionDeferred(key)),
                Ok(Answer::Edited { arguments }) => arguments,
                Err(reason) => break Decision::Unanswered { reason },
            };
            // The future is boxed, since few questions are answered so.
            match Box::pin(self.judge(arguments)).await {
                Ok(judged) => {
                    let arguments = Some(judged.site().call.arguments.clone());
                    let plan = Plan {
                        arguments,
                        ..planning::plan(&judged)
                    };
                    let edited = RareEvent::CallEdited(key, Box::new(plan), judged);
                    return DriverEvent::Rare(edited);
                }
                Err(error) => {
                    question.reason = format!("the changed arguments are not used: {error}");
                }
            }
        };
        DriverEvent::Record(Record::Answered {
            call: key,
            decision,
        })
    }

    /// Judges the call with other arguments.
    async fn judge(&self, arguments: RawJson) -> Result<Box<JudgedCall>, ToolError> {
        let mut site = CallSite::clone(&self.site);
        site.call.arguments = arguments;
        let guarded = guard_call(self.agent, self.context, Arc::new(site)).await;
        let (site, _) = guarded.map_err(ToolError::failed)?;
        let tool = self.visible.find(&site.call.name)?;
        let pipeline = self.agent.pipeline(self.policy);
        pipeline.judge_again(site, tool, self.context).await
    }
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
