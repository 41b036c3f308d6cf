//! Compaction of the conversation in the course of a turn.

use std::sync::LazyLock;

use super::state::Driver;
use crate::compaction::{self, RetainedFacts};
use crate::todo::TodoList;
use crate::turn::{Purpose, Record};
use helve_core::tool::dispatch;
use helve_core::transcript::{Message, ToolCall};
use helve_model::{Reply, StopReason};
use helve_results::Pruning;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns the facts that are retained from the last summary of the conversation.
    pub(super) fn retained_facts(&self) -> &RetainedFacts {
        static NONE: LazyLock<RetainedFacts> = LazyLock::new(RetainedFacts::default);
        let facts = self.turn.retained_facts().or(self.previous_facts);
        facts.unwrap_or_else(|| &NONE)
    }

    /// Returns the record of the result of a compaction, if the record is the reply to one. Both are written together, so that
    /// no crash can come in between.
    pub(super) fn compaction_record(&self, record: &Record) -> Option<Record> {
        match record {
            Record::ModelDone {
                round,
                purpose: Purpose::Compact,
                reply,
                ..
            } if reply.stop != StopReason::Cancelled => {
                let round = *round;
                let settled = self.summary_record(round, reply);
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
    fn summary_record(&self, round: u32, reply: &Reply) -> Result<Record, String> {
        let summary = compaction::parse_summary(reply)?;
        let kept = self.collect_facts();
        let mut text = compaction::render_summary(&summary, &kept, self.exposed_tools());
        text.push_str(&TodoList::load(self.context).render_for_summary());
        let messages = &self.request.messages;
        let shorter = self.turn.compact_messages(messages, &text);
        let (before, after) = (self.count_tokens(messages), self.count_tokens(&shorter));
        if after >= before {
            return Err(format!(
                "the summary is not shorter than the conversation: about {after} tokens instead of {before}"
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

    fn count_tokens(&self, messages: &[Message]) -> u64 {
        let counter = &self.agent.counter;
        let tokens = messages
            .iter()
            .map(|message| counter.count_message(message));
        tokens.sum()
    }

    /// Collects the effects of the calls of the conversation, and what earlier summaries kept.
    fn collect_facts(&self) -> RetainedFacts {
        let mut kept = self.retained_facts().clone();
        let messages = &self.request.messages;
        for pair in messages.windows(2) {
            let [Message::Assistant(reply), Message::Tool { content }] = pair else {
                continue;
            };
            let failed = |call: &ToolCall| {
                let mut results = content.iter();
                results.any(|result| result.call_id == call.id && result.is_error)
            };
            for call in reply.calls().filter(|call| !failed(call)) {
                self.collect_call_facts(call, &mut kept);
            }
        }
        self.collect_active_skills(&mut kept);
        kept.add_label(self.turn.label());
        // The count is that of this turn alone; `kept` may come from an earlier turn.
        kept.followed_urls = self.known_urls().count_followed();
        kept
    }

    fn collect_call_facts(&self, call: &ToolCall, kept: &mut RetainedFacts) {
        #[cfg(feature = "skills")]
        if let Some(skill) = helve_skill::requested_skill(call) {
            kept.add_skill(&skill);
        }
        let Some(tool) = self.tools.visible.find_any(&call.name) else {
            return;
        };
        let facts = dispatch::facts(&*tool, self.context, &call.arguments);
        for touch in facts.iter().flat_map(|facts| &facts.file_accesses) {
            kept.add_file_access(touch);
        }
    }

    fn collect_active_skills(&self, kept: &mut RetainedFacts) {
        #[cfg(feature = "skills")]
        for skill in helve_skill::ActiveSkills::list(&self.context.conversation_state()) {
            kept.add_skill(&skill.name);
        }
        let _ = kept;
    }

    /// Resets the state that does not outlive a compaction.
    pub(super) fn reset_after_compaction(&mut self) {
        self.pruning = Pruning::default();
        // The instructions of skills are no longer in the conversation, so loading a skill must return them again.
        #[cfg(feature = "skills")]
        helve_skill::ActiveSkills::forget_all(&self.context.conversation_state());
    }
}
