//! Starting a turn, and resuming one.

use std::pin::pin;
use std::sync::{Arc, LazyLock};

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::event_emitter::EventEmitter;
use super::event_order::EventOrder;
use super::recorder::SessionRecorder;
use super::report::{TurnReport, TurnStatus};
use super::spans;
use super::state::{Driver, TurnEnv};
use crate::authority::Authority;
use crate::compaction::RetainedFacts;
use crate::conversation::Conversation;
use crate::event::projection::{
    Projected, TurnProjection, tool_result_event, turn_end_events, turn_start_events,
};
use crate::sanitize::sanitize;
use crate::session::{Entry, Session, SessionError};
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason, Record, Turn};
use crate::{AgentEvent, EventKind};
use helve_core::tool::{ProgressSettings, ToolContext, chain_text};
use helve_core::transcript::{Label, Message, Origin, TurnId};
use helve_model::ModelRequest;
use helve_permission::Rules;
use helve_permission::call::Next;
use helve_results::conversation_label;

/// The id of a turn outside of a session.
static FIRST_TURN: LazyLock<TurnId> = LazyLock::new(|| TurnId::new("t1"));

/// A turn that is to start.
pub(super) struct TurnStart {
    pub(super) origin: Origin,
    pub(super) bounds: Bounds,
    /// The conversation before the turn.
    pub(super) conversation: Vec<Message>,
    /// The messages that the turn adds before the model is called.
    pub(super) prompt: Vec<Message>,
    pub(super) label: Label,
}

impl TurnStart {
    pub(super) fn entry(&self, authority: &Authority) -> Entry {
        let entry = Entry::turn_started(&self.origin, self.bounds.clone(), self.prompt.clone());
        let mut entry = entry.with_label(self.label.clone());
        if let Entry::TurnStarted(started) = &mut entry {
            started.authority = Some(authority.record());
        }
        entry
    }
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
            "" => FIRST_TURN.clone(),
            _ => context.turn_id().clone(),
        };
        let origin = Origin::new(self.id.clone(), turn);
        let policy = self.policy.for_session();
        let env = TurnEnv::new(
            self.turn_context(context, &origin),
            SessionRecorder::default(),
            EventEmitter::new(
                EventOrder::new(Arc::new(events)),
                origin.clone(),
                self.progress.clone(),
            ),
            Authority::from_policy(policy).with_filters(&self.filters),
            self.wait_mode,
        );
        let start = TurnStart {
            label: conversation_label(&conversation),
            origin,
            bounds: self.with_reviews(self.bounds.clone()),
            conversation,
            prompt: Vec::new(),
        };
        begin_turn(self, env, start).await
    }

    /// Runs one turn of a recorded conversation. Each step is recorded before it is performed, so that a turn can be
    /// [resumed](Self::resume) after a crash.
    ///
    /// An open turn is interrupted first.
    ///
    /// # Errors
    /// The session cannot be written to when the turn begins. Later failures are part of the report.
    pub async fn run_in(
        &self,
        conversation: &mut Conversation,
        prompt: Message,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> Result<TurnReport, SessionError> {
        let order = EventOrder::new(Arc::new(events));
        conversation.reload_if_stale().await?;
        close_open_turns(conversation, &order).await?;
        let state = conversation.session.state();
        let origin = Origin::new(self.id.clone(), state.next_turn());
        let start = TurnStart {
            label: state.label.clone(),
            origin: origin.clone(),
            bounds: self.with_reviews(self.bounds.clone()),
            conversation: sanitize(conversation.messages.clone()),
            prompt: vec![prompt],
        };
        let context = self.session_context(conversation, context, &origin, state.turns);
        let session = &mut conversation.session;
        let env = self.session_env(session, Vec::new(), context, origin, order.clone());
        record_turn_start(&env, &start).await?;
        conversation.is_stale = true;
        let mut report = begin_turn(self, env, start).await;
        finish_turn(conversation, &mut report, &order).await;
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
        let delegates = std::mem::take(&mut conversation.delegates);
        let messages = conversation.messages.clone();
        conversation.is_stale = true;
        let session = &mut conversation.session;
        let order = EventOrder::new(Arc::new(events));
        let env = self.session_env(session, delegates, context, origin, order.clone());
        let mut report = resume_turn(self, env, turn, messages).await;
        finish_turn(conversation, &mut report, &order).await;
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

    /// Creates the environment of a turn of a session from the granted rules and the state of the session, within the
    /// recorded authority of the turn if it is open.
    fn session_env<'s>(
        &self,
        session: &'s mut Session,
        delegates: Vec<(TurnId, Vec<Message>)>,
        context: ToolContext,
        origin: Origin,
        order: Arc<EventOrder>,
    ) -> TurnEnv<'s> {
        let state = session.state();
        let mut rules = Rules::new();
        rules.allow.clone_from(&state.allow);
        rules.deny.clone_from(&state.deny);
        let policy = self.policy.for_session();
        policy.grant(rules);
        let authority = Authority::from_policy(policy).with_filters(&self.filters);
        let authority = authority.restrict_to_record(state.authority(&origin.turn).as_ref());
        let exposed_tools = state.exposed_tools.clone().unwrap_or_default();
        let facts = &state.retained_facts;
        let retained_facts = (*facts != RetainedFacts::default()).then(|| Box::new(facts.clone()));
        TurnEnv {
            exposed_tools,
            retained_facts,
            ..TurnEnv::new(
                context,
                SessionRecorder::new(session, delegates),
                EventEmitter::new(order, origin, self.progress.clone()),
                authority,
                self.wait_mode,
            )
        }
    }
}

/// A turn and its environment. The value is boxed, because every future that awaits it would contain a copy.
struct DrivenTurn<'s> {
    env: TurnEnv<'s>,
    turn: Turn,
    /// The events of the records so far.
    projection: TurnProjection,
    /// The events of the beginning that are still to be emitted.
    beginning: Vec<Projected>,
}

/// Records the beginning of a turn, and emits its events. Without a session, this does nothing.
pub(super) async fn record_turn_start(
    env: &TurnEnv<'_>,
    start: &TurnStart,
) -> Result<(), SessionError> {
    let entry = || start.entry(&env.authority);
    let recorded = env.recorder.begin_turn(entry, env.events.order()).await?;
    if let Some(mut recorded) = recorded {
        let events = turn_start_events(&start.prompt);
        env.events.emit_recorded(Some(&mut recorded), None, events);
    }
    Ok(())
}

/// Runs a turn from its start, inside the hooks of the agent.
pub(super) fn begin_turn<'a, 's: 'a>(
    agent: &'a Agent,
    env: TurnEnv<'s>,
    start: TurnStart,
) -> BoxFuture<'a, TurnReport> {
    let TurnStart {
        origin,
        bounds,
        mut conversation,
        prompt,
        label,
    } = start;
    // The beginning of a recorded turn has its events.
    let beginning = match env.recorder.is_recording() {
        true => Vec::new(),
        false => turn_start_events(&prompt),
    };
    conversation.extend(prompt);
    // Boxed where it is made, since it is large.
    let turn = Turn::new(origin, bounds);
    let mut driven = Box::new(DrivenTurn {
        env,
        turn,
        projection: TurnProjection::default(),
        beginning,
    });
    driven.turn.set_label(label);
    run_with_hooks(agent, driven, conversation, Vec::new())
}

/// Runs a turn inside the hooks of the agent. The input of the hooks is the conversation up to the last message of the user;
/// the messages that the turn has added since are appended to their output.
fn run_with_hooks<'a, 's: 'a>(
    agent: &'a Agent,
    driven: Box<DrivenTurn<'s>>,
    mut conversation: Vec<Message>,
    added: Vec<Message>,
) -> BoxFuture<'a, TurnReport> {
    if agent.hooks.is_empty() {
        conversation.extend(added);
        return drive_turn(agent, driven, conversation).boxed();
    }
    let origin = driven.turn.origin().clone();
    async move {
        let inside = Next::new(move |mut conversation: Vec<Message>| {
            conversation.extend(added);
            drive_turn(agent, driven, conversation).boxed()
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
    env: TurnEnv<'_>,
    mut turn: Turn,
    mut messages: Vec<Message>,
) -> TurnReport {
    // Whoever reads the events of this run has not seen the results of the round so far.
    env.events.emit(EventKind::TurnStarted);
    let results = turn
        .calls()
        .filter_map(|(key, _)| tool_result_event(&turn, key));
    results.for_each(|result| env.events.emit_live(result));
    let mut projection = TurnProjection::from_open_turn(&turn);
    if turn.in_flight() {
        let resumed = [Record::Resumed];
        let order = env.events.order();
        let mut recorded = match env.recorder.write(turn.origin(), &resumed, order).await {
            Ok(recorded) => recorded,
            Err(error) => return TurnReport::unrecorded(&error, messages, *turn.totals()),
        };
        // The turn is in flight, so that this record cannot be stale.
        let _ = turn.apply_to(&resumed[0], &mut messages);
        let events = projection.project(&turn, &resumed[0], None);
        env.events.emit_recorded(recorded.as_mut(), None, events);
    }
    let said = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }));
    let added = messages.split_off(said.map_or(0, |said| said + 1));
    let driven = Box::new(DrivenTurn {
        env,
        turn,
        projection,
        beginning: Vec::new(),
    });
    run_with_hooks(agent, driven, messages, added).await
}

async fn drive_turn(
    agent: &Agent,
    mut driven: Box<DrivenTurn<'_>>,
    conversation: Vec<Message>,
) -> TurnReport {
    let DrivenTurn {
        env,
        turn,
        projection,
        beginning,
    } = &mut *driven;
    let projection = std::mem::take(projection);
    let span = spans::turn(agent, turn.origin(), env.context.session_id());
    let driving = pin!(async {
        let mut request = ModelRequest::new(conversation).options(agent.options.clone());
        request.system = if agent.hooks.is_empty() {
            agent.instructions.clone()
        } else {
            Box::pin(build_system_prompt(agent, turn.origin())).await
        };
        for event in beginning.drain(..) {
            env.events.emit_live(event);
        }
        let mut driver = Driver::new(agent, env, turn, projection, request);
        // The future is boxed: together with the driver it exceeds what an allocator serves fast.
        let status = Box::pin(driver.run()).await;
        let mut report = driver.report(status);
        if let TurnStatus::Ended(reason) = report.status
            && driver.recorder.is_recording()
        {
            // The future is boxed: writing waits for the disk.
            let (recorder, origin) = (&driver.recorder, driver.turn.origin());
            Box::pin(record_turn_end(
                recorder,
                &env.events,
                origin,
                reason,
                &mut report,
            ))
            .await;
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
    events: &EventEmitter,
    origin: &Origin,
    reason: EndReason,
    report: &mut TurnReport,
) {
    if origin.parent_call.is_some() {
        return;
    }
    let error = report.error.clone();
    let ended = recorder.end_turn(origin, reason, error, report.totals, events.order());
    let mut recorded = ended.await.unwrap_or_else(|error| {
        // The turn is over in spite of the error: its records state this.
        report.error.get_or_insert(chain_text(&error));
        None
    });
    let projected = turn_end_events(reason, report.error.clone());
    events.emit_recorded(recorded.as_mut(), None, projected);
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

/// Processes the report of a turn. If the hooks did not call the inner operation, the open turn of the report is ended:
/// it is never resumed.
async fn finish_turn(
    conversation: &mut Conversation,
    report: &mut TurnReport,
    order: &Arc<EventOrder>,
) {
    conversation.update_from_report(report);
    let is_open = conversation.open_turn().is_some();
    if !is_open || report.end().is_none() {
        return;
    }
    if let Err(error) = Box::pin(close_open_turns(conversation, order)).await {
        report.error.get_or_insert(chain_text(&error));
    }
    // The messages that the turn had added are not in the report.
    conversation.is_stale = true;
}

/// Interrupts the open turns of a session, so that each of their calls has a result.
async fn close_open_turns(
    conversation: &mut Conversation,
    order: &Arc<EventOrder>,
) -> Result<(), SessionError> {
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
        let progress = ProgressSettings::default();
        let events = EventEmitter::new(order.clone(), origin.clone(), progress);
        let mut projection = TurnProjection::from_open_turn(&turn);
        for record in [Record::Interrupt, Record::Resumed] {
            if turn.clone().apply(&record).is_err() {
                continue;
            }
            let records = std::slice::from_ref(&record);
            let mut recorded = recorder.write(&origin, records, order).await?;
            // The copy of the turn has accepted the record.
            let _ = turn.apply_to(&record, messages);
            let projected = projection.project(&turn, &record, None);
            events.emit_recorded(recorded.as_mut(), None, projected);
        }
        let reason = turn.end().unwrap_or(EndReason::Interrupted);
        let totals = *turn.totals();
        let ended = recorder.end_turn(&origin, reason, None, totals, order);
        let mut recorded = ended.await?;
        events.emit_recorded(recorded.as_mut(), None, turn_end_events(reason, None));
    }
    conversation.is_stale = false;
    Ok(())
}
