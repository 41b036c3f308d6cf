//! Starting a turn, and resuming one.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::event_emitter::{EventEmitter, EventSink};
use super::recorder::SessionRecorder;
use super::report::{TurnReport, TurnStatus};
use super::spans;
use super::state::{Driver, TurnEnv};
use crate::authority::Authority;
use crate::compaction::RetainedFacts;
use crate::conversation::Conversation;
use crate::exposure::ExposedTools;
use crate::sanitize::sanitize;
use crate::session::SessionError;
use crate::spec::{Agent, WaitMode};
use crate::turn::{Bounds, EndReason, Record, Totals, Turn};
use crate::{AgentEvent, EventKind};
use helve_core::tool::{LazyToken, ToolContext, chain_text};
use helve_core::transcript::{Label, Message, Origin, TurnId};
use helve_model::ModelRequest;
use helve_permission::call::Next;
use helve_permission::{Policy, Rules};
use helve_results::conversation_label;

/// A turn that is to start.
pub(super) struct TurnStart {
    pub(super) origin: Origin,
    pub(super) bounds: Bounds,
    /// The conversation before the turn.
    pub(super) conversation: Vec<Message>,
    /// The messages that the turn adds before the model is called.
    pub(super) prompt: Vec<Message>,
    /// The label of the conversation.
    pub(super) label: Label,
}

/// The values that a turn is set up with.
pub(super) struct TurnSetup<'a> {
    pub(super) context: ToolContext,
    pub(super) recorder: SessionRecorder<'a>,
    pub(super) events: EventEmitter,
    /// The authority of the turn.
    pub(super) authority: Authority,
    /// A delegate has the wait mode of the turn that it works for.
    pub(super) wait_mode: WaitMode,
    /// The tool exposure that the session was left with.
    pub(super) exposed_tools: ExposedTools,
    /// What the summaries of earlier turns kept.
    pub(super) retained_facts: RetainedFacts,
}

impl Agent {
    /// Runs one turn of a conversation, whose last message is that of the user, and emits its events as they occur.
    ///
    /// The turn is not recorded: a turn that waits for an answer from outside the process is lost with the report.
    /// [`run_in`](Self::run_in) records the turn. Cancelling the token of the context interrupts the turn; every call still
    /// gets a result.
    pub async fn run(
        &self,
        conversation: Vec<Message>,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> TurnReport {
        let turn = match &**context.turn_id() {
            "" => TurnId::new("t1"),
            _ => context.turn_id().clone(),
        };
        let origin = Origin::new(self.id.clone(), turn);
        let events: EventSink = Arc::new(events);
        let setup = TurnSetup {
            context: self.turn_context(context, &origin),
            recorder: SessionRecorder::default(),
            events: EventEmitter::new(events, origin.clone(), self.progress.clone()),
            authority: Authority::from_policy(self.policy.for_session())
                .with_filters(&self.filters),
            wait_mode: self.wait_mode,
            exposed_tools: ExposedTools::default(),
            retained_facts: RetainedFacts::default(),
        };
        let start = TurnStart {
            label: conversation_label(&conversation),
            origin,
            bounds: self.bounds.clone(),
            conversation,
            prompt: Vec::new(),
        };
        begin_turn(self, setup, start).await
    }

    /// Runs one turn of a recorded conversation. Each step is recorded before it is performed, so that a turn can be
    /// [resumed](Self::resume) after a crash.
    ///
    /// An open turn is interrupted first.
    ///
    /// # Errors
    /// The session cannot be written to when the turn begins; later, the report says so.
    pub async fn run_in(
        &self,
        conversation: &mut Conversation,
        prompt: Message,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> Result<TurnReport, SessionError> {
        conversation.reload_if_stale().await?;
        close_open_turns(conversation).await?;
        let origin = Origin::new(self.id.clone(), conversation.session.state().next_turn());
        let number = conversation.session.state().turns;
        let context = self.session_context(conversation, context, &origin, number);
        let label = conversation.session.state().label.clone();
        let start = TurnStart {
            label: label.clone(),
            origin: origin.clone(),
            bounds: self.bounds.clone(),
            conversation: sanitize(conversation.messages.clone()),
            prompt: vec![prompt],
        };
        let authority =
            Authority::from_policy(self.session_policy(conversation)).with_filters(&self.filters);
        let offered = conversation.session.state().exposed_tools.clone();
        let offered = offered.unwrap_or_default();
        let kept = conversation.session.state().retained_facts.clone();
        let recorder = SessionRecorder::new(&mut conversation.session, Vec::new());
        let (bounds, prompt) = (start.bounds.clone(), start.prompt.clone());
        let begun = recorder.begin_turn(&origin, bounds, prompt, label, &authority);
        begun.await?;
        conversation.is_stale = true;
        let events: EventSink = Arc::new(events);
        let setup = TurnSetup {
            context,
            recorder,
            events: EventEmitter::new(events, origin, self.progress.clone()),
            authority,
            wait_mode: self.wait_mode,
            exposed_tools: offered,
            retained_facts: kept,
        };
        let mut report = begin_turn(self, setup, start).await;
        conversation.update_from_report(&report);
        close_if_skipped(conversation, &mut report).await;
        Ok(report)
    }

    /// Resumes the open turn of a recorded conversation; `None` if there is none.
    ///
    /// Calls that were running when the previous process died are reported to the model as interrupted, with unknown
    /// outcome; only idempotent calls run again. Open questions are asked again.
    ///
    /// # Errors
    /// The session cannot be written to.
    pub async fn resume(
        &self,
        conversation: &mut Conversation,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> Result<Option<TurnReport>, SessionError> {
        conversation.reload_if_stale().await?;
        let Some(turn) = conversation.open_turn().cloned() else {
            return Ok(None);
        };
        let origin = turn.origin().clone();
        // The open turn is counted already.
        let number = conversation.session.state().turns.saturating_sub(1);
        let context = self.session_context(conversation, context, &origin, number);
        let authority =
            Authority::from_policy(self.session_policy(conversation)).with_filters(&self.filters);
        let recorded = conversation.session.state().authority(&origin.turn);
        let authority = authority.restrict_to_record(recorded.as_ref());
        let delegates = std::mem::take(&mut conversation.delegates);
        let offered = conversation.session.state().exposed_tools.clone();
        let offered = offered.unwrap_or_default();
        let kept = conversation.session.state().retained_facts.clone();
        let messages = conversation.messages.clone();
        conversation.is_stale = true;
        let events: EventSink = Arc::new(events);
        let setup = TurnSetup {
            context,
            recorder: SessionRecorder::new(&mut conversation.session, delegates),
            events: EventEmitter::new(events, origin, self.progress.clone()),
            authority,
            wait_mode: self.wait_mode,
            exposed_tools: offered,
            retained_facts: kept,
        };
        let mut report = resume_turn(self, setup, turn, messages).await;
        conversation.update_from_report(&report);
        close_if_skipped(conversation, &mut report).await;
        Ok(Some(report))
    }

    fn session_context(
        &self,
        conversation: &Conversation,
        context: &ToolContext,
        origin: &Origin,
        number: u64,
    ) -> ToolContext {
        context.restore_notes(&conversation.notes);
        let session = conversation.session.id().clone();
        let context = self.turn_context(context, origin).derive().session(session);
        context
            .turn_number(u32::try_from(number).unwrap_or(u32::MAX))
            .build()
    }

    fn turn_context(&self, context: &ToolContext, origin: &Origin) -> ToolContext {
        // A secret that a tool gets by its name is redacted in every result.
        let mut context = context.derive();
        context.watch_secrets(|backend| self.results.secret_redactor().watch(backend));
        let context = context.agent(origin.agent.clone());
        context.turn(origin.turn.clone()).build()
    }

    /// Returns the policy of the agent with the rules that were granted in the session.
    fn session_policy(&self, conversation: &Conversation) -> Policy {
        let standing = conversation.session.state();
        let mut rules = Rules::new();
        rules.allow.clone_from(&standing.allow);
        rules.deny.clone_from(&standing.deny);
        let policy = self.policy.for_session();
        policy.grant(rules);
        policy
    }
}

/// A turn and its environment. It is boxed, since every future on the way would contain a copy.
struct DrivenTurn<'a, 's> {
    env: TurnEnv<'a>,
    recorder: SessionRecorder<'s>,
    turn: Turn,
    conversation: Vec<Message>,
}

impl<'a, 's: 'a> DrivenTurn<'a, 's> {
    fn new(agent: &'a Agent, setup: TurnSetup<'s>, turn: Turn) -> Box<Self> {
        let env = TurnEnv {
            agent,
            context: setup.context,
            authority: setup.authority,
            events: setup.events,
            meta_tools: Arc::default(),
            stop_model: LazyToken::default(),
            wait_mode: setup.wait_mode,
            exposed_tools: setup.exposed_tools,
            retained_facts: setup.retained_facts,
        };
        Box::new(Self {
            env,
            recorder: setup.recorder,
            turn,
            conversation: Vec::new(),
        })
    }

    /// Makes the driver, with the system prompt of the turn.
    fn driver(&mut self, system: Option<Arc<str>>) -> Driver<'_, 's> {
        let options = self.env.agent.options.clone();
        let conversation = std::mem::take(&mut self.conversation);
        let mut request = ModelRequest::new(conversation).options(options);
        request.system = system;
        Driver::new(&self.env, self.recorder.clone(), &mut self.turn, request)
    }
}

/// Runs a turn from its start, inside the hooks of the agent.
pub(super) fn begin_turn<'a, 's: 'a>(
    agent: &'a Agent,
    setup: TurnSetup<'s>,
    start: TurnStart,
) -> BoxFuture<'a, TurnReport> {
    let TurnStart {
        origin,
        bounds,
        mut conversation,
        prompt,
        label,
    } = start;
    conversation.extend(prompt);
    let turn = Turn::new(origin, bounds).with_label(label);
    run_with_hooks(agent, setup, turn, conversation, Vec::new())
}

/// Runs a turn inside the hooks of the agent. The input of the hooks is the conversation up to the last message of the user;
/// the messages that the turn has added since are appended to their output.
fn run_with_hooks<'a, 's: 'a>(
    agent: &'a Agent,
    setup: TurnSetup<'s>,
    turn: Turn,
    mut conversation: Vec<Message>,
    added: Vec<Message>,
) -> BoxFuture<'a, TurnReport> {
    let mut driven = DrivenTurn::new(agent, setup, turn);
    if agent.hooks.is_empty() {
        conversation.extend(added);
        driven.conversation = conversation;
        return drive_turn(agent, driven).boxed();
    }
    let origin = driven.turn.origin().clone();
    async move {
        let inside = Next::new(move |mut conversation: Vec<Message>| {
            conversation.extend(added);
            driven.conversation = conversation;
            drive_turn(agent, driven).boxed()
        });
        let origin = &origin;
        let hooks = agent.hooks.wrap(inside, move |hook, conversation, next| {
            hook.reply(origin, conversation, next)
        });
        hooks.run(conversation).await
    }
    .boxed()
}

/// Resumes a turn whose driver has returned, in this process or another.
pub(super) async fn resume_turn(
    agent: &Agent,
    setup: TurnSetup<'_>,
    mut turn: Turn,
    mut messages: Vec<Message>,
) -> TurnReport {
    if turn.in_flight() {
        let resumed = [Record::Resumed];
        if let Err(error) = setup.recorder.write(turn.origin(), &resumed).await {
            return TurnReport::unrecorded(&error, messages, *turn.totals());
        }
        for record in &resumed {
            // The turn is in flight, so that this record cannot be stale.
            let _ = turn.apply_to(record, &mut messages);
        }
    }
    let said = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }));
    let added = messages.split_off(said.map_or(0, |said| said + 1));
    run_with_hooks(agent, setup, turn, messages, added).await
}

async fn drive_turn(agent: &Agent, mut driven: Box<DrivenTurn<'_, '_>>) -> TurnReport {
    let session = driven.env.context.session_id();
    let span = spans::turn(agent, driven.turn.origin(), session);
    let driving = pin!(async {
        let system = if agent.hooks.is_empty() {
            agent.instructions.clone()
        } else {
            Box::pin(build_system_prompt(agent, driven.turn.origin())).await
        };
        driven.env.events.emit(EventKind::TurnStarted);
        let mut driver = driven.driver(system);
        let status = driver.run().await;
        let mut report = driver.report(status);
        if let TurnStatus::Ended(reason) = report.status
            && driver.recorder.is_recording()
        {
            // The future is boxed: writing waits for the disk.
            let (recorder, origin) = (&driver.recorder, driver.turn.origin());
            Box::pin(record_turn_end(recorder, origin, reason, &mut report)).await;
        }
        report
    });
    let report = driving.instrument(span.clone()).await;
    spans::record_turn_end(&span, &report);
    report
}

/// Records the end of a turn. The end of the turn of a delegate is recorded by the turn that it works for.
async fn record_turn_end(
    recorder: &SessionRecorder<'_>,
    origin: &Origin,
    reason: EndReason,
    report: &mut TurnReport,
) {
    if origin.parent_call.is_some() {
        return;
    }
    let error = report.error.clone();
    let ended = recorder.end_turn(origin, reason, error, report.totals);
    if let Err(error) = ended.await {
        // The turn is over nevertheless: its records say so.
        report.error.get_or_insert(chain_text(&error));
    }
}

/// Passes the instructions of the agent through its hooks.
async fn build_system_prompt(agent: &Agent, origin: &Origin) -> Option<Arc<str>> {
    let inside = Next::new(|prompt: String| futures_util::future::ready(prompt).boxed());
    let hooks = agent.hooks.wrap(inside, move |hook, prompt, next| {
        hook.system_prompt(origin, prompt, next)
    });
    let own = agent.instructions.as_deref().unwrap_or_default().to_owned();
    let prompt = hooks.run(own).await;
    (!prompt.is_empty()).then(|| prompt.into())
}

/// Ends the open turn of a report whose hooks did not call the inner operation: the turn is never resumed.
async fn close_if_skipped(conversation: &mut Conversation, report: &mut TurnReport) {
    let is_open = conversation.open_turn().is_some();
    if !is_open || report.end().is_none() {
        return;
    }
    if let Err(error) = Box::pin(close_open_turns(conversation)).await {
        report.error.get_or_insert(chain_text(&error));
    }
    // The messages that the turn had added are not in the report.
    conversation.is_stale = true;
}

/// Interrupts the open turns of a session, so that each of their calls has a result.
async fn close_open_turns(conversation: &mut Conversation) -> Result<(), SessionError> {
    let open = conversation.session.state().open_turns.clone();
    if open.is_empty() {
        return Ok(());
    }
    conversation.delegates.clear();
    conversation.is_stale = true;
    // A delegate follows the turn that it works for, and is closed before it.
    for mut turn in open.into_iter().rev() {
        let mut aside = Vec::new();
        let messages = match turn.origin().parent_call {
            None => &mut conversation.messages,
            Some(_) => &mut aside,
        };
        let origin = turn.origin().clone();
        let recorder = SessionRecorder::new(&mut conversation.session, Vec::new());
        for record in [Record::Interrupt, Record::Resumed] {
            if turn.clone().apply(&record).is_err() {
                continue;
            }
            recorder
                .write(&origin, std::slice::from_ref(&record))
                .await?;
            // The copy of the turn has accepted the record.
            let _ = turn.apply_to(&record, messages);
        }
        let reason = turn.end().unwrap_or(EndReason::Interrupted);
        let totals: Totals = *turn.totals();
        recorder.end_turn(&origin, reason, None, totals).await?;
    }
    conversation.is_stale = false;
    Ok(())
}
