//! The turns that go on after a hand-off.

use std::sync::Arc;

use super::event_order::EventOrder;
use super::report::TurnReport;
use super::turn_start::TurnStart;
use crate::authority::Authority;
use crate::conversation::Conversation;
use crate::session::{HandOffView, SessionError, TakenOver};
use crate::spec::Agent;
use crate::turn::{HandOff, add_delegate};
use helve_core::tool::ToolContext;
use helve_core::transcript::{AgentId, Label, Message, Note, NoteSource, Origin, TurnId};

impl Agent {
    /// Runs the turns after one that ended with a hand-off. The depth that is left bounds their number.
    pub(super) async fn go_on_recorded(
        &self,
        conversation: &mut Conversation,
        mut report: TurnReport,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> TurnReport {
        while let Some(handed_off) = report.hand_off.take() {
            let next = match self.take_over(conversation, context, order).await {
                Ok(Some(next)) => next,
                Ok(None) => {
                    report.error.get_or_insert(unknown_agent(&handed_off.to));
                    return report;
                }
                Err(error) => {
                    let messages = conversation.messages.clone();
                    TurnReport::unrecorded(&error, messages, Default::default())
                }
            };
            report = follow(&report, next);
        }
        report
    }

    /// Runs the turn of the agent to which the session was handed off; `None` if it was not, or if there is no such agent.
    pub(super) async fn take_over(
        &self,
        conversation: &mut Conversation,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> Result<Option<TurnReport>, SessionError> {
        let state = conversation.session.state();
        let Some(handed_off) = state.hand_off.clone() else {
            return Ok(None);
        };
        let Some(agent) = self.find_successor(&handed_off.to) else {
            return Ok(None);
        };
        let (turn, label) = (state.next_turn(), state.label.clone());
        let before = conversation.messages.clone();
        let start = start_after(&handed_off, &agent, turn, before, label);
        let run = self.run_recorded(agent, conversation, start, context, order);
        run.await.map(Some)
    }

    /// Like [`go_on_recorded`](Self::go_on_recorded), for turns that are not recorded.
    pub(super) async fn go_on_unrecorded(
        &self,
        authority: &Authority,
        mut report: TurnReport,
        context: &ToolContext,
        order: &Arc<EventOrder>,
    ) -> TurnReport {
        while let Some(handed_off) = report.hand_off.take() {
            let Some(agent) = self.find_successor(&handed_off.to) else {
                report.error.get_or_insert(unknown_agent(&handed_off.to));
                return report;
            };
            let turn = TurnId::from(format!("{}+", handed_off.turn));
            let (before, label) = (std::mem::take(&mut report.messages), report.label.clone());
            let start = start_after(&handed_off, &agent, turn, before, label);
            let (agent, authority) = self.enter_session(agent, authority.clone());
            let running = agent.run_unrecorded(&authority, start, context, order);
            report = follow(&report, running.await);
        }
        report
    }
}

fn unknown_agent(name: &AgentId) -> String {
    format!("the conversation was handed off to `{name}`, and there is no such agent")
}

/// Returns the report of a turn with what the turns before it used.
fn follow(before: &TurnReport, mut report: TurnReport) -> TurnReport {
    add_delegate(&mut report.totals, &before.totals);
    let time = report.totals.milliseconds;
    report.totals.milliseconds = time.saturating_add(before.totals.milliseconds);
    report.approved_mode = report.approved_mode.or(before.approved_mode);
    report
}

/// Returns the turn that goes on with a conversation that was handed off.
fn start_after(
    handed_off: &HandOff,
    agent: &Agent,
    turn: TurnId,
    before: Vec<Message>,
    label: Label,
) -> TurnStart {
    let view = agent.successors.view();
    let has = |tool: &str| agent.toolset.get(tool).is_some();
    let taken_over = TakenOver::new(handed_off.from.clone(), view, &before, has);
    let mut prompt = Vec::new();
    let last = last_text(&before).filter(|_| view == HandOffView::Brief);
    prompt.extend(last.map(|text| note(handed_off, "reply", &text, &label)));
    prompt.push(note(handed_off, "brief", &handed_off.brief, &label));
    TurnStart {
        origin: Origin::new(agent.id.clone(), turn),
        bounds: agent.with_reviews(agent.bounds.within(&handed_off.bounds)),
        conversation: taken_over.messages(before),
        prompt,
        label,
        taken_over: Some(Box::new(taken_over)),
    }
}

/// Returns the last text of the agent that handed off, without the message that closes its turn.
fn last_text(messages: &[Message]) -> Option<String> {
    let (_, said) = messages.split_last()?;
    let texts = said.iter().rev().map_while(|message| match message {
        Message::Assistant(reply) => Some(reply.text()),
        Message::User { .. } => None,
        _ => Some(String::new()),
    });
    texts.into_iter().find(|text| !text.trim().is_empty())
}

/// Creates a note of the agent that handed off. What was written in a conversation with untrusted text is enclosed.
fn note(handed_off: &HandOff, kind: &str, text: &str, label: &Label) -> Message {
    let from = handed_off.from.as_str();
    let text = match label.is_untrusted() {
        true => helve_untrusted::wrap(text, "hand_off", from),
        false => text.to_owned(),
    };
    let id = format!("{}/{kind}", handed_off.turn);
    let mut note = Note::new(NoteSource::Agent, id, text).with_name(from);
    note.label = label.clone();
    Message::from(note)
}
