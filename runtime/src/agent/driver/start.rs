//! Beginning a turn, or going on with one.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tracing::Instrument;

use super::recorder::Recorder;
use super::telling::Teller;
use super::{Driver, EventSink, TurnEnv, TurnReport, TurnStatus, spans};
use crate::agent::authority::Authority;
use crate::agent::compaction::Kept;
use crate::agent::conversation::Conversation;
use crate::agent::offer::Offered;
use crate::agent::session::SessionError;
use crate::agent::spec::{Agent, Patience};
use crate::agent::turn::{Bounds, EndReason, Record, Totals, Turn};
use crate::agent::{AgentEvent, EventKind};
use crate::call::Next;
use crate::model::ModelRequest;
use crate::permission::{Policy, Rules};
use crate::results::conversation_label;
use crate::tool::{LazyToken, ToolContext, chain_text};
use crate::transcript::{Label, Message, Origin, TurnId, sanitize};

/// A turn that is to begin.
pub(super) struct Beginning {
    pub(super) origin: Origin,
    pub(super) bounds: Bounds,
    /// What was said before.
    pub(super) conversation: Vec<Message>,
    /// What the turn adds to it before the model is called.
    pub(super) prompt: Vec<Message>,
    /// What the conversation is made of.
    pub(super) label: Label,
}

/// Where a turn runs.
pub(super) struct Surroundings<'a> {
    pub(super) context: ToolContext,
    pub(super) recorder: Recorder<'a>,
    pub(super) teller: Teller,
    /// What the turn may do at most.
    pub(super) authority: Authority,
    /// A delegate's is that of the turn that it works for: nobody can be left and stay.
    pub(super) patience: Patience,
    /// Where the switches of the tools stood before.
    pub(super) offered: Offered,
    /// What the summaries before kept.
    pub(super) kept: Kept,
}

impl Agent {
    /// Runs one turn of a conversation, whose last message is the user's, and tells what happens as it happens.
    ///
    /// Nothing is written down: what waits for somebody elsewhere is lost with the report. [`run_in`](Self::run_in)
    /// records the turn. Cancelling the context's token interrupts the turn; every call then has a result all the same.
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
        let surroundings = Surroundings {
            context: self.context(context, &origin),
            recorder: Recorder::default(),
            teller: Teller::new(events, origin.clone(), self.progress.clone()),
            authority: Authority::of_session(self.policy.for_session()).filtered(&self.filters),
            patience: self.patience,
            offered: Offered::default(),
            kept: Kept::default(),
        };
        let beginning = Beginning {
            label: conversation_label(&conversation),
            origin,
            bounds: self.bounds.clone(),
            conversation,
            prompt: Vec::new(),
        };
        begin(self, surroundings, beginning).await
    }

    /// Runs one turn of a recorded conversation. Everything is written down before it is done, so that a turn which a
    /// crash cuts off can be [gone on with](Self::resume).
    ///
    /// A turn that is still open is interrupted first.
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
        conversation.catch_up().await?;
        close_open_turns(conversation).await?;
        let origin = Origin::new(self.id.clone(), conversation.session.standing().next_turn());
        let context = self.context_in(conversation, context, &origin);
        let label = conversation.session.standing().label.clone();
        let beginning = Beginning {
            label: label.clone(),
            origin: origin.clone(),
            bounds: self.bounds.clone(),
            conversation: sanitize(conversation.messages.clone()),
            prompt: vec![prompt],
        };
        let authority = Authority::of_session(self.policy_in(conversation)).filtered(&self.filters);
        let offered = conversation.session.standing().offered.clone();
        let offered = offered.unwrap_or_default();
        let kept = conversation.session.standing().kept.clone();
        let recorder = Recorder::of(&mut conversation.session, Vec::new());
        let (bounds, prompt) = (beginning.bounds.clone(), beginning.prompt.clone());
        let begun = recorder.begin(&origin, bounds, prompt, label, &authority);
        begun.await?;
        conversation.is_behind = true;
        let events: EventSink = Arc::new(events);
        let surroundings = Surroundings {
            context,
            recorder,
            teller: Teller::new(events, origin, self.progress.clone()),
            authority,
            patience: self.patience,
            offered,
            kept,
        };
        let mut report = begin(self, surroundings, beginning).await;
        conversation.take_in(&report);
        close_if_left_out(conversation, &mut report).await;
        Ok(report)
    }

    /// Goes on with the open turn of a recorded conversation; `None` where there is none.
    ///
    /// What was running when the process that had it died is reported to the model as interrupted, with unknown outcome;
    /// only what may safely run twice runs again. Questions that were out are asked again.
    ///
    /// # Errors
    /// The session cannot be written to.
    pub async fn resume(
        &self,
        conversation: &mut Conversation,
        context: &ToolContext,
        events: impl Fn(AgentEvent) + Send + Sync + 'static,
    ) -> Result<Option<TurnReport>, SessionError> {
        conversation.catch_up().await?;
        let Some(turn) = conversation.open_turn().cloned() else {
            return Ok(None);
        };
        let origin = turn.origin().clone();
        let context = self.context_in(conversation, context, &origin);
        let authority = Authority::of_session(self.policy_in(conversation)).filtered(&self.filters);
        let recorded = conversation.session.standing().authority(&origin.turn);
        let authority = authority.resumed(recorded.as_ref());
        let delegates = std::mem::take(&mut conversation.delegates);
        let offered = conversation.session.standing().offered.clone();
        let offered = offered.unwrap_or_default();
        let kept = conversation.session.standing().kept.clone();
        let messages = conversation.messages.clone();
        conversation.is_behind = true;
        let events: EventSink = Arc::new(events);
        let surroundings = Surroundings {
            context,
            recorder: Recorder::of(&mut conversation.session, delegates),
            teller: Teller::new(events, origin, self.progress.clone()),
            authority,
            patience: self.patience,
            offered,
            kept,
        };
        let mut report = go_on(self, surroundings, turn, messages).await;
        conversation.take_in(&report);
        close_if_left_out(conversation, &mut report).await;
        Ok(Some(report))
    }

    fn context_in(
        &self,
        conversation: &Conversation,
        context: &ToolContext,
        origin: &Origin,
    ) -> ToolContext {
        context.restore_notes(&conversation.notes);
        let session = conversation.session.id().clone();
        let turns = conversation.session.standing().turns;
        let context = self.context(context, origin).derive().session(session);
        context
            .turn_number(u32::try_from(turns).unwrap_or(u32::MAX))
            .build()
    }

    fn context(&self, context: &ToolContext, origin: &Origin) -> ToolContext {
        // What a tool asks for by name is redacted wherever it turns up in a result.
        let mut context = context.derive();
        context.watch_secrets(|backend| self.results.secrets().watch(backend));
        let context = context.agent(origin.agent.clone());
        context.turn(origin.turn.clone()).build()
    }

    /// Returns the agent's policy with what was granted in the session.
    fn policy_in(&self, conversation: &Conversation) -> Policy {
        let standing = conversation.session.standing();
        let mut rules = Rules::new();
        rules.allow.clone_from(&standing.allow);
        rules.deny.clone_from(&standing.deny);
        let policy = self.policy.for_session();
        policy.grant(rules);
        policy
    }
}

/// A turn that is driven next. It lies in a box and stays there, since each function on the way would hold it once more.
struct Driven<'a, 's> {
    env: TurnEnv<'a>,
    recorder: Recorder<'s>,
    turn: Turn,
    conversation: Vec<Message>,
}

impl<'a, 's: 'a> Driven<'a, 's> {
    fn new(agent: &'a Agent, surroundings: Surroundings<'s>, turn: Turn) -> Box<Self> {
        let env = TurnEnv {
            agent,
            context: surroundings.context,
            authority: surroundings.authority,
            teller: surroundings.teller,
            desk: Arc::default(),
            stop_model: LazyToken::default(),
            patience: surroundings.patience,
            offered: surroundings.offered,
            kept: surroundings.kept,
        };
        Box::new(Self {
            env,
            recorder: surroundings.recorder,
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

/// Runs a turn from its beginning, with the agent's hooks around it.
pub(super) fn begin<'a, 's: 'a>(
    agent: &'a Agent,
    surroundings: Surroundings<'s>,
    beginning: Beginning,
) -> BoxFuture<'a, TurnReport> {
    let Beginning {
        origin,
        bounds,
        mut conversation,
        prompt,
        label,
    } = beginning;
    conversation.extend(prompt);
    let turn = Turn::new(origin, bounds).with_label(label);
    hooked(agent, surroundings, turn, conversation, Vec::new())
}

/// Runs a turn with the agent's hooks around it: in goes the conversation up to what the user said, whether the turn begins
/// or is gone on with, and what the turn has added since stands behind what the hooks make of that.
fn hooked<'a, 's: 'a>(
    agent: &'a Agent,
    surroundings: Surroundings<'s>,
    turn: Turn,
    mut conversation: Vec<Message>,
    added: Vec<Message>,
) -> BoxFuture<'a, TurnReport> {
    let mut driven = Driven::new(agent, surroundings, turn);
    if agent.hooks.is_empty() {
        conversation.extend(added);
        driven.conversation = conversation;
        return drive(agent, driven).boxed();
    }
    let origin = driven.turn.origin().clone();
    async move {
        let inside = Next::new(move |mut conversation: Vec<Message>| {
            conversation.extend(added);
            driven.conversation = conversation;
            drive(agent, driven).boxed()
        });
        let origin = &origin;
        let hooks = agent.hooks.around(inside, move |hook, conversation, next| {
            hook.reply(origin, conversation, next)
        });
        hooks.run(conversation).await
    }
    .boxed()
}

/// Goes on with a turn that another process, or this one, let go of.
pub(super) async fn go_on(
    agent: &Agent,
    surroundings: Surroundings<'_>,
    mut turn: Turn,
    mut messages: Vec<Message>,
) -> TurnReport {
    if turn.in_flight() {
        let resumed = [Record::Resumed];
        if let Err(error) = surroundings.recorder.write(turn.origin(), &resumed).await {
            return TurnReport::unrecorded(&error, messages, *turn.totals());
        }
        for record in &resumed {
            // It is in flight, so that this cannot be stale.
            let _ = turn.apply_to(record, &mut messages);
        }
    }
    let said = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }));
    let added = messages.split_off(said.map_or(0, |said| said + 1));
    hooked(agent, surroundings, turn, messages, added).await
}

async fn drive(agent: &Agent, mut driven: Box<Driven<'_, '_>>) -> TurnReport {
    let session = driven.env.context.session_id();
    let span = spans::turn(agent, driven.turn.origin(), session);
    let driving = pin!(async {
        let system = if agent.hooks.is_empty() {
            agent.instructions.clone()
        } else {
            Box::pin(hooked_prompt(agent, driven.turn.origin())).await
        };
        driven.env.teller.tell(EventKind::TurnStarted);
        let mut driver = driven.driver(system);
        let status = driver.run().await;
        let mut report = driver.report(status);
        if let TurnStatus::Ended(reason) = report.status
            && driver.recorder.is_kept()
        {
            // In a box of its own: writing waits for the disk.
            let (recorder, origin) = (&driver.recorder, driver.turn.origin());
            Box::pin(write_end(recorder, origin, reason, &mut report)).await;
        }
        report
    });
    let report = driving.instrument(span.clone()).await;
    spans::turn_done(&span, &report);
    report
}

/// Writes down that a turn is over. The end of a delegate's is written down by the turn that it works for.
async fn write_end(
    recorder: &Recorder<'_>,
    origin: &Origin,
    reason: EndReason,
    report: &mut TurnReport,
) {
    if origin.parent_call.is_some() {
        return;
    }
    let error = report.error.clone();
    let ended = recorder.end(origin, reason, error, report.totals);
    if let Err(error) = ended.await {
        // The turn is over all the same: its records say so.
        report.error.get_or_insert(chain_text(&error));
    }
}

/// Lays the agent's hooks around its instructions.
async fn hooked_prompt(agent: &Agent, origin: &Origin) -> Option<Arc<str>> {
    let inside = Next::new(|prompt: String| futures_util::future::ready(prompt).boxed());
    let hooks = agent.hooks.around(inside, move |hook, prompt, next| {
        hook.system_prompt(origin, prompt, next)
    });
    let own = agent.instructions.as_deref().unwrap_or_default().to_owned();
    let prompt = hooks.run(own).await;
    (!prompt.is_empty()).then(|| prompt.into())
}

/// Ends the turn of a report whose hooks left the inside out: nobody goes on with it later.
async fn close_if_left_out(conversation: &mut Conversation, report: &mut TurnReport) {
    let is_open = conversation.open_turn().is_some();
    if !is_open || report.end().is_none() {
        return;
    }
    if let Err(error) = Box::pin(close_open_turns(conversation)).await {
        report.error.get_or_insert(chain_text(&error));
    }
    // What the turn had added is not in the report.
    conversation.is_behind = true;
}

/// Interrupts the turns of a session that are still open, so that each of their calls has its result.
async fn close_open_turns(conversation: &mut Conversation) -> Result<(), SessionError> {
    let open = conversation.session.standing().open.clone();
    if open.is_empty() {
        return Ok(());
    }
    conversation.delegates.clear();
    conversation.is_behind = true;
    // A delegate stands behind the turn that it works for, and is closed before it.
    for mut turn in open.into_iter().rev() {
        let mut aside = Vec::new();
        let messages = match turn.origin().parent_call {
            None => &mut conversation.messages,
            Some(_) => &mut aside,
        };
        let origin = turn.origin().clone();
        let recorder = Recorder::of(&mut conversation.session, Vec::new());
        for record in [Record::Interrupt, Record::Resumed] {
            if turn.clone().apply(&record).is_err() {
                continue;
            }
            recorder
                .write(&origin, std::slice::from_ref(&record))
                .await?;
            // It was just seen to fit.
            let _ = turn.apply_to(&record, messages);
        }
        let reason = turn.end().unwrap_or(EndReason::Interrupted);
        let totals: Totals = *turn.totals();
        recorder.end(&origin, reason, None, totals).await?;
    }
    conversation.is_behind = false;
    Ok(())
}
