//! Compaction of the conversation in the course of a turn.

use super::state::Driver;
use crate::agent::compaction::{self, Kept};
use crate::agent::turn::{Purpose, Record};
use crate::model::{Reply, StopReason};
use crate::results::Pruning;
use crate::tool::dispatch;
use crate::transcript::{CallId, Message, ToolCall};

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns what outlives the last summary of the conversation.
    pub(super) fn kept(&self) -> &Kept {
        self.turn.kept().unwrap_or(self.kept_before)
    }

    /// Returns the record of the result of a compaction, if the record is the reply to one. Both are written together, so that
    /// no crash can come in between.
    pub(super) fn settled(&self, record: &Record) -> Option<Record> {
        match record {
            Record::ModelDone {
                round,
                purpose: Purpose::Compact,
                reply,
                ..
            } if reply.stop != StopReason::Cancelled => {
                let round = *round;
                let settled = self.summed_up(round, reply);
                Some(settled.unwrap_or_else(|why| Record::NotCompacted { round, why }))
            }
            Record::ModelFailed {
                round,
                purpose: Purpose::Compact,
                error,
            } => Some(Record::NotCompacted {
                round: *round,
                why: error.clone(),
            }),
            _ => None,
        }
    }

    /// Replaces the conversation by the summary, if the summary is valid and shorter.
    fn summed_up(&self, round: u32, reply: &Reply) -> Result<Record, String> {
        let summary = compaction::summary_of(reply)?;
        let kept = self.kept_from_here();
        let text = compaction::text(&summary, &kept, self.offered());
        let messages = &self.request.messages;
        let shorter = self.turn.shortened(messages, &text);
        let (before, after) = (self.tokens_of(messages), self.tokens_of(&shorter));
        if after >= before {
            return Err(format!(
                "the summary takes as much room as what it would stand for: about {after} tokens for {before}"
            ));
        }
        Ok(Record::Compacted {
            round,
            text,
            kept: Box::new(kept),
            before,
            after,
        })
    }

    fn tokens_of(&self, messages: &[Message]) -> u64 {
        let counter = &self.agent.counter;
        messages
            .iter()
            .map(|message| counter.of_message(message))
            .sum()
    }

    /// Collects the effects of the calls of the conversation, and what earlier summaries kept.
    fn kept_from_here(&self) -> Kept {
        let mut kept = self.kept().clone();
        let messages = &self.request.messages;
        for pair in messages.windows(2) {
            let [Message::Assistant(reply), Message::Tool { content }] = pair else {
                continue;
            };
            let failed = |id: &CallId| {
                let mut results = content.iter();
                results.any(|result| result.call_id == *id && result.is_error)
            };
            for call in reply.calls().filter(|call| !failed(&call.id)) {
                self.note_call(call, &mut kept);
            }
        }
        self.note_skills(&mut kept);
        kept.add_label(self.turn.label());
        // The count is that of this turn alone; `kept` may come from an earlier turn.
        kept.set_followed_urls(self.known_urls().count_followed());
        kept
    }

    fn note_call(&self, call: &ToolCall, kept: &mut Kept) {
        #[cfg(feature = "skills")]
        if let Some(skill) = crate::skill::requested_skill(call) {
            kept.load(&skill);
        }
        let Some(tool) = self.tools.visible().find_any(&call.name) else {
            return;
        };
        let facts = dispatch::facts(&*tool, self.context, &call.arguments);
        for touch in facts.iter().flat_map(|facts| &facts.touches) {
            kept.touch(touch);
        }
    }

    /// Notes the skills that are active in this process.
    fn note_skills(&self, kept: &mut Kept) {
        #[cfg(feature = "skills")]
        for skill in crate::skill::ActiveSkills::of(&self.context.conversation_state()) {
            kept.load(&skill.name);
        }
        let _ = kept;
    }

    /// Resets the state that does not outlive a compaction.
    pub(super) fn after_compaction(&mut self) {
        self.pruning = Pruning::default();
        // The instructions of skills are gone from the conversation, so that loading a skill must give them again.
        #[cfg(feature = "skills")]
        crate::skill::ActiveSkills::forget_all(&self.context.conversation_state());
    }
}
