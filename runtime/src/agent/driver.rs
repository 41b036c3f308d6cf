//! The local driver of a turn: it does what the turn says, and records it before the next step.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::call;
use super::spec::Agent;
use super::turn::{EndReason, Outcome, Purpose, Record, Step, Totals, Turn};
use super::{AgentEvent, EventKind};
use crate::model::{Assembler, ModelError, ModelEvent, ModelRequest};
use crate::permission::{Answer, Decision, Question};
use crate::tool::{ToolContext, chain_text};
use crate::transcript::{CallKey, Message, Origin, TurnId};

/// Takes events as they happen; it must return at once.
pub type EventSink = Arc<dyn Fn(AgentEvent) + Send + Sync>;

/// What a turn came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TurnReport {
    /// Why it ended.
    pub end: EndReason,
    /// What went wrong, where something did.
    pub error: Option<String>,
    /// The conversation, with what the turn added.
    pub messages: Vec<Message>,
    /// What it used up.
    pub totals: Totals,
}

impl TurnReport {
    /// Returns the text of the model's last reply.
    #[must_use]
    pub fn text(&self) -> String {
        let replies = self.messages.iter().rev();
        let mut texts = replies.filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply.text()),
            _ => None,
        });
        texts.next().unwrap_or_default()
    }
}

impl Agent {
    /// Runs one turn of a conversation, whose last message is the user's, and tells what happens as it happens.
    ///
    /// Cancelling the context's token interrupts the turn; every call then has a result all the same.
    pub async fn run(
        &self,
        conversation: Vec<Message>,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> TurnReport {
        let events: EventSink = Arc::new(events);
        Driver::new(self, conversation, context, events).run().await
    }
}

/// One turn being driven.
struct Driver<'a> {
    agent: &'a Agent,
    context: &'a ToolContext,
    events: EventSink,
    turn: Turn,
    /// Shared with the model's stream only while that runs, so that adding to it copies nothing.
    request: Arc<ModelRequest>,
    /// What is going on; each ends in what happened.
    working: FuturesUnordered<BoxFuture<'a, Record>>,
    /// The questions that are out: the turn offers them until they are answered.
    asked: HashSet<CallKey>,
    /// The results that have been told.
    told: HashSet<CallKey>,
    stop_model: CancellationToken,
    stop_calls: HashMap<CallKey, CancellationToken>,
    error: Option<String>,
}

impl<'a> Driver<'a> {
    fn new(
        agent: &'a Agent,
        conversation: Vec<Message>,
        context: &'a ToolContext,
        events: EventSink,
    ) -> Self {
        let mut request = ModelRequest::new(conversation).tools(call::offered(&agent.toolset));
        request.system.clone_from(&agent.instructions);
        Self {
            agent,
            context,
            events,
            turn: Turn::new(agent.bounds.clone()),
            request: Arc::new(request),
            working: FuturesUnordered::new(),
            asked: HashSet::new(),
            told: HashSet::new(),
            stop_model: CancellationToken::new(),
            stop_calls: HashMap::new(),
            error: None,
        }
    }

    async fn run(mut self) -> TurnReport {
        self.emit(EventKind::TurnStarted);
        let end = loop {
            if let Some(end) = self.step() {
                break end;
            }
            if !self.is_idle() {
                continue;
            }
            let happened = self.wait().await;
            self.record(&happened);
        };
        // Whatever still runs belongs to a turn that is over.
        drop(self.working);
        (self.events)(AgentEvent::new(
            self.agent.id.clone(),
            self.context.turn_id().clone(),
            EventKind::End {
                reason: end,
                error: self.error.clone(),
            },
        ));
        let totals = *self.turn.totals();
        let messages = Arc::unwrap_or_clone(self.request).messages;
        TurnReport {
            end,
            error: self.error,
            messages,
            totals,
        }
    }

    /// Does every step that is possible now; returns how the turn ended, where it did.
    fn step(&mut self) -> Option<EndReason> {
        for step in self.turn.next() {
            match step {
                Step::CallModel { round, purpose } => self.call_model(round, purpose),
                Step::Plan { call } => self.plan(call),
                Step::Ask { call, reason } => self.ask(call, reason),
                Step::Run { calls } => self.start(calls),
                Step::StopModel => self.stop_model.cancel(),
                Step::Stop { calls } => {
                    for token in calls.iter().filter_map(|call| self.stop_calls.get(call)) {
                        token.cancel();
                    }
                }
                Step::End { reason } => return Some(reason),
                Step::Wait => {}
            }
        }
        None
    }

    /// Reports whether nothing can be done but wait.
    fn is_idle(&self) -> bool {
        self.turn.next().iter().all(|step| match step {
            Step::Wait | Step::StopModel | Step::Stop { .. } => true,
            Step::Ask { call, .. } => self.asked.contains(call),
            _ => false,
        })
    }

    async fn wait(&mut self) -> Record {
        let interrupted = self.stop_model.is_cancelled();
        tokio::select! {
            biased;
            () = self.context.cancellation().cancelled(), if !interrupted => {
                self.stop_model.cancel();
                Record::Interrupt
            }
            Some(happened) = self.working.next() => happened,
            // A turn that waits for nothing would wait for ever; it cannot come here while the turn is sound.
            else => Record::Interrupt,
        }
    }

    /// Applies what happened, and tells what came of it. A record that comes too late changes nothing.
    fn record(&mut self, record: &Record) {
        let messages = &mut Arc::make_mut(&mut self.request).messages;
        if let Err(stale) = self.turn.apply_to(record, messages) {
            tracing::debug!(%stale, "a record came too late");
            return;
        }
        if let Record::ModelFailed { error, .. } = record {
            self.error = Some(error.clone());
        }
        if let Record::ModelDone { reply, .. } = record {
            self.emit(EventKind::Usage { usage: reply.usage });
        }
        self.tell_results();
    }

    /// Tells the results that are new, those of calls that the turn answered itself included.
    fn tell_results(&mut self) {
        let mut results = Vec::new();
        for (key, call) in self.turn.calls() {
            if let Some(outcome) = self.turn.outcome(key)
                && self.told.insert(key)
            {
                results.push(EventKind::ToolResult {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    content: outcome.content.clone(),
                    is_error: outcome.is_error,
                });
            }
        }
        results.into_iter().for_each(|result| self.emit(result));
    }

    fn call_model(&mut self, round: u32, purpose: Purpose) {
        self.record(&Record::ModelStarted { round, purpose });
        let (model, request) = (&self.agent.model, self.request.clone());
        let (stop, emit) = (self.stop_model.clone(), self.emitter());
        self.working.push(Box::pin(async move {
            let mut assembler = Assembler::new();
            let mut stream = model.reply(&request);
            loop {
                let event = tokio::select! {
                    biased;
                    () = stop.cancelled() => return Record::ModelDone { round, reply: assembler.cancel() },
                    event = stream.next() => event,
                };
                let pushed = match event {
                    Some(Ok(event)) => {
                        tell_delta(&event, &emit);
                        assembler.push(event)
                    }
                    Some(Err(error)) => Err(error),
                    None => break,
                };
                if let Err(error) = pushed {
                    return failed(round, &error);
                }
            }
            match assembler.finish() {
                Ok(reply) => Record::ModelDone { round, reply },
                Err(error) => failed(round, &error),
            }
        }));
    }

    fn plan(&mut self, key: CallKey) {
        let Some(call) = self.turn.call(key).cloned() else {
            return;
        };
        self.emit(EventKind::ToolCallStarted {
            call: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        let record = match call::plan(&self.agent.toolset, self.context, &call) {
            Ok(plan) => Record::Planned { call: key, plan },
            Err(error) => Record::Finished {
                call: key,
                outcome: call::outcome(Err(error)),
            },
        };
        self.record(&record);
    }

    fn ask(&mut self, key: CallKey, reason: String) {
        let Some(call) = self
            .turn
            .call(key)
            .filter(|_| self.asked.insert(key))
            .cloned()
        else {
            return;
        };
        self.emit(EventKind::ApprovalRequested {
            call: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            reason: reason.clone(),
        });
        let origin = Origin::new(self.agent.id.clone(), self.context.turn_id().clone());
        let question = Question::new(origin, key, &call, reason).of(
            self.context.session_id().clone(),
            self.context.principal().clone(),
        );
        let (approver, emit) = (&self.agent.approver, self.emitter());
        self.working.push(Box::pin(async move {
            let decision = match approver.ask(&question).await {
                Answer::Decided(decision) => decision,
                Answer::Deferred => Decision::Unanswered {
                    reason: "its approver answers later, and this turn cannot be put away"
                        .to_owned(),
                },
            };
            emit(EventKind::ApprovalDecided {
                call: question.call,
                decision: decision.clone(),
            });
            Record::Answered {
                call: key,
                decision,
            }
        }));
    }

    fn start(&mut self, calls: Vec<CallKey>) {
        self.record(&Record::Started {
            calls: calls.clone(),
        });
        for key in calls {
            let Some(call) = self.turn.call(key).cloned() else {
                continue;
            };
            let stop = self.context.cancellation().child_token();
            self.stop_calls.insert(key, stop.clone());
            let (agent, context, emit) = (self.agent, self.context, self.emitter());
            self.working.push(Box::pin(async move {
                let result = call::run(agent, context, &call, key, stop, emit).await;
                Record::Finished {
                    call: key,
                    outcome: call::outcome(result),
                }
            }));
        }
    }

    fn emit(&self, kind: EventKind) {
        (self.emitter())(kind);
    }

    /// Makes what tells the events of this turn from wherever they happen.
    fn emitter(&self) -> impl Fn(EventKind) + Clone + Send + Sync + 'static {
        let (events, agent, turn): (_, _, TurnId) = (
            self.events.clone(),
            self.agent.id.clone(),
            self.context.turn_id().clone(),
        );
        move |kind| events(AgentEvent::new(agent.clone(), turn.clone(), kind))
    }
}

fn tell_delta(event: &ModelEvent, emit: &impl Fn(EventKind)) {
    match event {
        ModelEvent::TextDelta { text } => emit(EventKind::MessageDelta { text: text.clone() }),
        ModelEvent::ThinkingDelta { text } => {
            emit(EventKind::ReasoningDelta { text: text.clone() });
        }
        _ => {}
    }
}

fn failed(round: u32, error: &ModelError) -> Record {
    Record::ModelFailed {
        round,
        error: chain_text(error),
    }
}

/// Joins the driver to [`Outcome`], whose shape belongs to the turn.
impl From<crate::tool::ToolOutput> for Outcome {
    fn from(output: crate::tool::ToolOutput) -> Self {
        let outcome = Self::ok(output.content());
        match output.cost() {
            Some(cost) => outcome.cost(cost),
            None => outcome,
        }
    }
}
