//! The turns of a session: one for each prompt, and others that go on after a hand-off.

use std::borrow::Cow;
use std::sync::Arc;

use super::event_emitter::EventEmitter;
use super::event_order::EventOrder;
use super::recorder::SessionRecorder;
use super::report::TurnReport;
use super::state::TurnEnv;
use super::turn_start::{TurnStart, begin_turn, record_turn_start, resume_turn};
use crate::AgentEvent;
use crate::authority::Authority;
use crate::compaction::RetainedFacts;
use crate::conversation::Conversation;
use crate::event::projection::{TurnProjection, turn_end_events};
use crate::sanitize::sanitize;
use crate::session::{Session, SessionError};
use crate::spec::Agent;
use crate::turn::{EndReason, Record};
use helve_core::tool::{ProgressSettings, ToolContext, chain_text};
use helve_core::transcript::{Message, Origin, TurnId};
use helve_permission::Rules;

impl Agent {
    /// Runs one turn of a recorded conversation. Each step is recorded before it is performed, so that a turn can be
    /// [resumed](Self::resume) after a crash.
    ///
    /// An open turn is interrupted first. A session that was [handed off](Self::hand_off) is answered by the agent to which
    /// it was handed off, and a turn that ends with a hand-off is followed by that of the other agent; the report is that of
    /// the last turn, with the totals of all.
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
        let order = EventOrder::new(events);
        conversation.reload_if_stale().await?;
        close_open_turns(conversation, &order).await?;
        let state = conversation.session.state();
        let active = state.active.as_ref();
        let agent = active.and_then(|name| self.find_successor(name));
        let agent = agent.unwrap_or(Cow::Borrowed(self));
        let bounds = match &agent {
            Cow::Borrowed(_) => self.bounds.clone(),
            Cow::Owned(other) => other.bounds.within(&self.bounds),
        };
        let start = TurnStart {
            label: state.label.clone(),
            origin: Origin::new(agent.id.clone(), state.next_turn()),
            bounds: agent.with_reviews(bounds),
            conversation: sanitize(conversation.messages.clone()),
            prompt: vec![prompt],
            taken_over: None,
        };
        let run = self.run_recorded(agent, conversation, start, context, &order);
        let report = run.await?;
        Ok(self.go_on(conversation, report, context, &order).await)
    }

    /// Resumes the open turn of a recorded conversation, or begins the turn after a hand-off; `None` if there is neither.
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
        let order = EventOrder::new(events);
        let Some(turn) = conversation.open_turn().cloned() else {
            let taking_over = self.take_over(conversation, context, &order);
            let Some(report) = Box::pin(taking_over).await? else {
                return Ok(None);
            };
            return Ok(Some(
                self.go_on(conversation, report, context, &order).await,
            ));
        };
        let origin = turn.origin().clone();
        let agent = self.find_successor(&origin.agent);
        let agent = agent.unwrap_or(Cow::Borrowed(self));
        // The open turn is counted already.
        let number = conversation.session.state().turns.saturating_sub(1);
        let context = agent.session_context(conversation, context, &origin, number);
        let delegates = std::mem::take(&mut conversation.delegates);
        let messages = conversation.messages.clone();
        conversation.is_stale = true;
        let session = &mut conversation.session;
        let (agent, env) = self.session_env(
            agent,
            session,
            delegates,
            context.clone(),
            origin,
            order.clone(),
        );
        let mut report = resume_turn(&agent, env, turn, messages).await;
        finish_turn(conversation, &mut report, &order).await;
        Ok(Some(
            self.go_on(conversation, report, &context, &order).await,
        ))
    }

    /// Goes on with the agents to which a turn and those after it were handed off.
    async fn go_on(
        &self,
        conversation: &mut Conversation,
        report: TurnReport,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> TurnReport {
        let mut report = report;
        if report.end() == Some(EndReason::HandedOff) {
            // The future is boxed, since few turns end with a hand-off.
            report = Box::pin(self.go_on_recorded(conversation, report, context, order)).await;
        }
        if self.has_suggestions_after(&report) {
            let state = conversation.session.state();
            let agent = state.active.as_ref().unwrap_or(&self.id);
            let origin = Origin::new(agent.clone(), format!("t{}", state.turns));
            self.suggest(&report, origin, context, order).await;
        }
        report
    }

    /// Runs one turn of a session.
    pub(super) async fn run_recorded(
        &self,
        agent: Cow<'_, Self>,
        conversation: &mut Conversation,
        start: TurnStart,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> Result<TurnReport, SessionError> {
        let (origin, turns) = (start.origin.clone(), conversation.session.state().turns);
        let context = agent.session_context(conversation, context, &origin, turns);
        let session = &mut conversation.session;
        let (agent, env) =
            self.session_env(agent, session, Vec::new(), context, origin, order.clone());
        record_turn_start(&env, &start).await?;
        conversation.is_stale = true;
        let mut report = begin_turn(&agent, env, start).await;
        finish_turn(conversation, &mut report, order).await;
        Ok(report)
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

    /// Creates the environment of a turn of a session from the granted rules and the state of the session, within the
    /// recorded authority of the turn if it is open; and prepares the agent, if it is another one than that of the session.
    fn session_env<'a, 's>(
        &self,
        agent: Cow<'a, Self>,
        session: &'s mut Session,
        delegates: Vec<(TurnId, Vec<Message>)>,
        context: ToolContext,
        origin: Origin,
        order: Arc<EventOrder>,
    ) -> (Cow<'a, Self>, TurnEnv<'s>) {
        let state = session.state();
        let mut rules = Rules::new();
        rules.allow.clone_from(&state.allow);
        rules.deny.clone_from(&state.deny);
        let policy = self.policy.for_session();
        policy.grant(rules);
        let authority = Authority::from_policy(policy).with_filters(&self.filters);
        let (agent, authority) = self.enter_session(agent, authority);
        let authority = authority.restrict_to_record(state.authority(&origin.turn).as_ref());
        let exposed_tools = state.exposed_tools.clone().unwrap_or_default();
        let facts = &state.retained_facts;
        let retained_facts = (*facts != RetainedFacts::default()).then(|| Box::new(facts.clone()));
        let env = TurnEnv {
            exposed_tools,
            retained_facts,
            ..TurnEnv::new(
                context,
                SessionRecorder::new(session, delegates),
                EventEmitter::new(order, origin, self.progress.clone()),
                authority,
                self.wait_mode,
            )
        };
        (agent, env)
    }
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
