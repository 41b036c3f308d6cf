//! Guards: the prompt is checked before the model is called, calls before they are judged, results before they are
//! recorded, and the last reply before the turn ends.

use std::sync::Arc;

use super::driver_event::{DriverEvent, RareEvent};
use super::review_state::PromptReview;
use super::state::Driver;
use crate::guard::{GuardInput, GuardPoint};
use crate::spec::Agent;
use crate::turn::{Outcome, Record, Review};
use helve_core::tool::ToolContext;
use helve_core::transcript::{
    CallKey, Content, ContentBlock, Message, Note, NoteSource, Origin, RawJson,
};
use helve_model::render_note;
use helve_permission::call::CallSite;
use helve_results::parse_enclosure;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Starts the check of the prompt if it is to be checked. Returns whether the model has to wait for it.
    pub(super) fn review_prompt(&mut self) -> bool {
        let agent = self.agent;
        match self.reviewing.prompt {
            PromptReview::Done => return false,
            PromptReview::Running => return true,
            PromptReview::Pending => {}
        }
        let is_checked = agent.guards.checks(GuardPoint::Prompt);
        if !is_checked || !self.turn.awaits_prompt_review() {
            self.reviewing.prompt = PromptReview::Done;
            return false;
        }
        self.reviewing.prompt = PromptReview::Running;
        let text = last_prompt(&self.request.messages);
        let (context, origin) = (self.context, self.origin().clone());
        self.in_flight.push(Box::pin(async move {
            let input = input(GuardPoint::Prompt, &text, &origin, context);
            let reviews = agent.guards.review(input).await;
            let records = reviews.into_iter().map(|(by, review)| match review {
                Review::Again { note } => {
                    let id = format!("{}/0/{by}", origin.turn);
                    let note = Note::new(NoteSource::Guard, id, note).with_name(by);
                    Record::Noted { notes: vec![note] }
                }
                review => reviewed(0, by, review),
            });
            DriverEvent::Rare(RareEvent::PromptReviewed(records.collect()))
        }));
        true
    }

    pub(super) fn end_prompt_review(&mut self) {
        self.reviewing.prompt = PromptReview::Done;
    }

    /// Starts the review of the last reply, unless it is running.
    pub(super) fn review_reply(&mut self, round: u32) {
        if self.reviewing.reply.replace(round) == Some(round) {
            return;
        }
        let (agent, origin) = (self.agent, self.origin().clone());
        let text = last_reply(&self.request.messages);
        let reviews = self.turn.reviews();
        // What the guards consume of models is counted for the place of a call, of which this round has none.
        let address = origin.call_address(CallKey::new(round, 0));
        let models = Arc::clone(&self.models);
        let context = self.context.derive().address(address.clone());
        let context = context.models(Some(models.for_context())).build();
        self.in_flight.push(Box::pin(async move {
            let input = GuardInput {
                reviews,
                ..input(GuardPoint::Reply, &text, &origin, &context)
            };
            let reviews = agent.guards.review(input).await;
            let is_replaced =
                |(_, review): &(String, Review)| matches!(review, Review::Replace { .. });
            let passes = reviews.iter().all(is_replaced);
            let records = reviews.into_iter();
            let mut records: Vec<Record> = records
                .map(|(by, review)| reviewed(round, by, review))
                .collect();
            if passes {
                let by = agent.guards.names(GuardPoint::Reply);
                records.push(reviewed(round, by, Review::Pass));
            }
            let totals = models.take_used(&address);
            if let (Some(Record::Reviewed { used, .. }), false) =
                (records.first_mut(), totals.is_zero())
            {
                *used = Some(Box::new(totals));
            }
            DriverEvent::Rare(RareEvent::ReplyReviewed(records))
        }));
    }

    /// Returns the records of a reviewed reply. Notes that came meanwhile prolong the turn.
    pub(super) fn review_records(&mut self, mut records: Vec<Record>) -> Vec<Record> {
        self.reviewing.reply = None;
        let passes = |record: &Record| {
            matches!(
                record,
                Record::Reviewed {
                    review: Review::Pass,
                    ..
                }
            )
        };
        if records.last().is_some_and(passes)
            && let Some(noted) = self.take_notes()
        {
            records.pop();
            records.push(*noted);
        }
        records
    }

    /// Takes the notes that the model reads with its next call.
    pub(super) fn take_notes(&self) -> Option<Box<Record>> {
        let notes = self.agent.notes.as_ref()?.take(self.origin());
        let is_new = |note: &Note| !self.turn.has_note(&note.id);
        let notes: Vec<Note> = notes.into_iter().filter(is_new).collect();
        (!notes.is_empty()).then(|| Box::new(Record::Noted { notes }))
    }
}

fn reviewed(round: u32, by: String, review: Review) -> Record {
    Record::Reviewed {
        round,
        by,
        review,
        used: None,
    }
}

fn input<'a>(
    point: GuardPoint,
    text: &'a str,
    origin: &'a Origin,
    context: &'a ToolContext,
) -> GuardInput<'a> {
    GuardInput {
        point,
        text,
        call: None,
        reviews: 0,
        origin,
        context,
    }
}

/// Checks a call. Returns the call, whose arguments may be replaced, and whether they are; or why it is denied.
pub(super) async fn guard_call(
    agent: &Agent,
    context: &ToolContext,
    mut site: Arc<CallSite>,
) -> Result<(Arc<CallSite>, bool), String> {
    let call = site.call.clone();
    let input = GuardInput {
        call: Some(&call),
        ..input(GuardPoint::Call, &call.arguments, &site.origin, context)
    };
    let reviews = agent.guards.review(input).await;
    let mut is_replaced = false;
    for (by, review) in reviews {
        match review {
            Review::Pass => {}
            Review::Replace { text } => {
                let mut other = CallSite::clone(&site);
                other.call.arguments = RawJson::from(text);
                site = Arc::new(other);
                is_replaced = true;
            }
            Review::Again { note: why } | Review::Block { why } => {
                return Err(format!("the guard `{by}` does not allow this call: {why}"));
            }
        }
    }
    Ok((site, is_replaced))
}

/// Checks a result, which may be replaced or withheld. Its label stays.
pub(super) async fn guard_result(
    agent: &Agent,
    context: &ToolContext,
    site: &CallSite,
    mut outcome: Outcome,
) -> Outcome {
    if !agent.guards.checks(GuardPoint::Result) {
        return outcome;
    }
    let texts = outcome.content.iter().filter_map(ContentBlock::as_text);
    let text = texts.collect::<Vec<_>>().join("\n");
    let input = GuardInput {
        call: Some(&site.call),
        ..input(GuardPoint::Result, &text, &site.origin, context)
    };
    let label = outcome.label();
    for (by, review) in agent.guards.review(input).await {
        outcome.content = match review {
            Review::Pass => continue,
            Review::Replace { text: new } => replaced_content(&outcome.content, &text, new),
            Review::Again { note } => {
                let note = Note::new(NoteSource::Guard, "", note).with_name(by);
                let block = ContentBlock::text(render_note(&note));
                let blocks = outcome.content.iter().cloned().chain([block]);
                blocks.collect::<Vec<_>>().into()
            }
            Review::Block { why } => {
                outcome.is_error = true;
                Content::text(format!(
                    "The call was made, and the guard `{by}` withholds its result: {why}"
                ))
            }
        };
        outcome = outcome.with_label(label.clone());
    }
    outcome
}

/// Returns content with another text, enclosed if the text was.
fn replaced_content(content: &Content, before: &str, text: String) -> Content {
    let text = match (parse_enclosure(before), parse_enclosure(&text)) {
        (Some(source), None) => helve_untrusted::wrap(&text, &source.tool, &source.name),
        _ => text,
    };
    let others = content.iter().filter(|block| block.as_text().is_none());
    let blocks = std::iter::once(ContentBlock::text(text)).chain(others.cloned());
    blocks.collect::<Vec<_>>().into()
}

fn last_prompt(messages: &[Message]) -> String {
    let content = messages.iter().rev().find_map(|message| match message {
        Message::User { content } => Some(content),
        _ => None,
    });
    let texts = content
        .into_iter()
        .flatten()
        .filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

fn last_reply(messages: &[Message]) -> String {
    match messages.last() {
        Some(Message::Assistant(reply)) => reply.text(),
        _ => String::new(),
    }
}
