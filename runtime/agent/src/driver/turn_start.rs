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
use crate::event::projection::{
    TurnProjection, tool_result_event, turn_end_events, turn_start_events,
};
use crate::session::{Entry, SessionError, TakenOver};
use crate::spec::Agent;
use crate::turn::{Bounds, EndReason, Record, Turn};
use crate::{AgentEvent, EventKind};
use helve_core::tool::{ToolContext, chain_text};
use helve_core::transcript::{Label, Message, Origin, TurnId};
use helve_model::ModelRequest;
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
    /// What the agent sees of the conversation, if another agent handed it off.
    pub(super) taken_over: Option<Box<TakenOver>>,
}

impl TurnStart {
    pub(super) fn entry(&self, authority: &Authority) -> Entry {
        let entry = Entry::turn_started(&self.origin, self.bounds.clone(), self.prompt.clone());
        let mut entry = entry.with_label(self.label.clone());
        if let Entry::TurnStarted(started) = &mut entry {
            started.authority = Some(authority.record());
            started.taken_over.clone_from(&self.taken_over);
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
        let start = TurnStart {
            label: conversation_label(&conversation),
            origin,
            bounds: self.with_reviews(self.bounds.clone()),
            conversation,
            prompt: Vec::new(),
            taken_over: None,
        };
        let policy = self.policy.for_session();
        let authority = Authority::from_policy(policy).with_filters(&self.filters);
        let order = EventOrder::unrecorded(events);
        // Few agents make suggestions.
        let origin = (self.suggestions > 0).then(|| start.origin.clone());
        let mut report = self
            .run_unrecorded(&authority, start, context, &order)
            .await;
        if report.hand_off.is_some() {
            // The future is boxed, since few turns end with a hand-off.
            let going_on = self.go_on_unrecorded(&authority, report, context, &order);
            report = Box::pin(going_on).await;
        }
        if let Some(origin) = origin.filter(|_| self.has_suggestions_after(&report)) {
            Box::pin(self.suggest(&report, origin, context, &order)).await;
        }
        report
    }

    /// Runs one turn that is not recorded.
    pub(super) async fn run_unrecorded(
        &self,
        authority: &Authority,
        start: TurnStart,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> TurnReport {
        let origin = start.origin.clone();
        let env = TurnEnv::new(
            self.turn_context(context, &origin),
            SessionRecorder::default(),
            EventEmitter::new(order.clone(), origin, self.progress.clone()),
            authority.clone(),
            self.wait_mode,
        );
        begin_turn(self, env, start).await
    }

    pub(super) fn turn_context(&self, context: &ToolContext, origin: &Origin) -> ToolContext {
        // A secret that a tool gets by its name is redacted in every result.
        let mut context = context.derive();
        context.watch_secrets(|backend| self.results.secret_redactor().watch(backend));
        let context = context.agent(origin.agent.clone());
        context.turn(origin.turn.clone()).build()
    }
}

/// A turn and its environment. The value is boxed, because every future that awaits it would contain a copy.
struct DrivenTurn<'s> {
    env: TurnEnv<'s>,
    turn: Turn,
    /// The events of the records so far.
    projection: TurnProjection,
}

/// Records the beginning of a turn, and emits its events. Without a session, this does nothing.
pub(super) async fn record_turn_start(
    env: &TurnEnv<'_>,
    start: &TurnStart,
) -> Result<(), SessionError> {
    let entry = || start.entry(&env.authority);
    let recorded = env.recorder.begin_turn(entry, env.events.order()).await?;
    if let Some(mut recorded) = recorded {
        let events = turn_start_events(&start.prompt).collect();
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
        taken_over: _,
    } = start;
    // The beginning of a recorded turn has its events.
    if !env.recorder.is_recording() {
        turn_start_events(&prompt).for_each(|event| env.events.emit_live(event));
    }
    conversation.extend(prompt);
    // Boxed where it is made, since it is large.
    let turn = Turn::new(origin, bounds);
    let mut driven = Box::new(DrivenTurn {
        env,
        turn,
        projection: TurnProjection::default(),
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
    } = &mut *driven;
    let span = spans::turn(agent, turn.origin(), env.context.session_id());
    let driving = pin!(async {
        let mut request = ModelRequest::new(conversation).options(agent.options.clone());
        request.system = if agent.hooks.is_empty() {
            agent.instructions.clone()
        } else {
            Box::pin(build_system_prompt(agent, turn.origin())).await
        };
        let mut driver = Driver::new(agent, env, turn, projection, request);
        // The future is boxed: together with the driver it exceeds what an allocator serves fast.
        let status = Box::pin(driver.run()).await;
        let report = driver.report(status);
        match report.status {
            // The future is boxed: writing waits for the disk.
            TurnStatus::Ended(reason) if driver.recorder.is_recording() => {
                let (recorder, origin) = (&driver.recorder, driver.turn.origin());
                let end = record_turn_end(recorder, driver.events, origin, reason, report);
                Box::pin(end).await
            }
            _ => report,
        }
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
    mut report: TurnReport,
) -> TurnReport {
    if origin.parent_call.is_some() {
        return report;
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
    report
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
