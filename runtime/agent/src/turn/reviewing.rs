//! Applies what guards decide about the prompt and about the last reply of a turn.

use super::{Applied, EndReason, Phase, Review, Totals, Turn};
use helve_core::transcript::{
    AssistantMessage, ContentBlock, Message, MessagePart, Note, NoteSource,
};

impl Turn {
    /// Returns whether the last reply is complete and its review is awaited.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.phase == Phase::Closing
    }

    /// Returns how many further replies guards have demanded so far.
    #[must_use]
    pub fn reviews(&self) -> u32 {
        self.side().map_or(0, |side| side.reviews)
    }

    /// Returns whether the prompt can still be reviewed: the model was not called yet.
    pub(crate) fn awaits_prompt_review(&self) -> bool {
        self.phase == Phase::Ready && self.round == 0 && self.totals.model_calls == 0
    }

    pub(super) fn apply_reviewed(
        &mut self,
        round: u32,
        by: &str,
        review: &Review,
        used: Option<&Totals>,
    ) -> Applied {
        let is_prompt = round == 0 && self.awaits_prompt_review();
        let is_reply = self.phase == Phase::Closing && round > 0 && round == self.round;
        if !is_prompt && !is_reply {
            return Err(format!("no review of round {round} is awaited"));
        }
        if is_prompt && matches!(review, Review::Pass | Review::Again { .. }) {
            return Err("a prompt is replaced or blocked".to_owned());
        }
        if let Some(used) = used {
            self.totals.usage += used.usage;
            self.totals.cost += used.cost;
        }
        match review {
            Review::Pass => self.phase = Phase::Over(EndReason::Finished),
            Review::Replace { .. } => {
                if self
                    .side()
                    .is_some_and(|side| side.replaced.iter().any(|name| name == by))
                {
                    return Err(format!("`{by}` has replaced the text already"));
                }
                self.side_mut().replaced.push(by.to_owned());
            }
            Review::Again { .. } => {
                self.side_mut().reviews += 1;
                if self.reviews() > self.bounds.reviews.unwrap_or_default() {
                    self.phase = Phase::Over(EndReason::Reviews);
                } else {
                    self.call_model_again();
                }
            }
            Review::Block { .. } => self.phase = Phase::Over(EndReason::Blocked),
        }
        Ok(())
    }

    /// Changes the transcript as a review demands. The review was just applied.
    pub(super) fn add_review(
        &self,
        round: u32,
        by: &str,
        review: &Review,
        messages: &mut Vec<Message>,
    ) {
        match review {
            Review::Pass => {}
            Review::Again { note } => {
                if self.end().is_none() {
                    let id = format!("{}/{round}/{by}", self.origin.turn);
                    let note = Note::new(NoteSource::Guard, id, note).with_name(by);
                    messages.push(note.into());
                }
            }
            Review::Replace { text } if round == 0 => replace_prompt(messages, text),
            Review::Replace { text } => replace_reply(messages, text.clone()),
            // The closing message of a turn without a reply states the reason.
            Review::Block { .. } if round == 0 => {}
            Review::Block { why } => {
                replace_reply(messages, format!("(The reply was withheld: {why})"));
            }
        }
    }
}

/// Replaces the text of the last message of the user.
fn replace_prompt(messages: &mut [Message], text: &str) {
    let prompt = messages.iter_mut().rev().find_map(|message| match message {
        Message::User { content } => Some(content),
        _ => None,
    });
    if let Some(content) = prompt {
        content.retain(|block| block.as_text().is_none());
        content.insert(0, ContentBlock::text(text));
    }
}

/// Replaces the last reply.
fn replace_reply(messages: &mut Vec<Message>, text: String) {
    let content = vec![MessagePart::Text { text }];
    match messages.last_mut() {
        Some(Message::Assistant(reply)) => reply.content = content,
        _ => messages.push(Message::Assistant(AssistantMessage::new(content))),
    }
}
