//! Compaction of the conversation of a turn: the retained messages, and the summary that replaces the others.

use super::{Applied, Phase, Purpose, Turn};
use crate::compaction::{RetainedFacts, without_notes};
use crate::exposure::COMPRESS_HISTORY;
use helve_core::transcript::{Content, ContentBlock, Message, NoteSource, ToolCallResult};

/// The number of rounds before a failed compaction is tried again; it doubles with each further failure.
const RETRY_ROUNDS: u32 = 4;

/// The maximum number of doublings.
const MAX_DOUBLINGS: u32 = 4;

impl Turn {
    /// Returns the facts that were retained through the last summary, if this turn made one.
    #[must_use]
    pub fn retained_facts(&self) -> Option<&RetainedFacts> {
        self.compactions.kept.as_deref()
    }

    /// Returns whether the conversation may be compacted now: if [a side step](Self::may_want) is possible, and no
    /// compaction has failed in the last few rounds.
    #[must_use]
    pub fn may_compact(&self) -> bool {
        self.may_want(Purpose::Compact) && self.round + 1 >= self.compactions.again
    }

    /// Returns the number of tokens of the last reply and its request; 0 if it is unknown, or after a compaction.
    pub(crate) fn reported_tokens(&self) -> u64 {
        self.compactions.tokens
    }

    /// Reports whether the conversation was compacted before the next round.
    pub(crate) fn has_just_compacted(&self) -> bool {
        self.compactions.settled == Some(self.round + 1) && self.compactions.failed == 0
    }

    pub(super) fn apply_compacted(&mut self, round: u32, kept: &RetainedFacts) -> Applied {
        self.settle_compaction(round)?;
        self.compactions.kept = Some(Box::new(kept.clone()));
        self.label.join(&kept.label());
        self.compactions.failed = 0;
        self.compactions.tokens = 0;
        Ok(())
    }

    pub(super) fn apply_not_compacted(&mut self, round: u32) -> Applied {
        self.settle_compaction(round)?;
        let pause = RETRY_ROUNDS << self.compactions.failed.min(MAX_DOUBLINGS);
        self.compactions.failed += 1;
        self.compactions.again = round.saturating_add(pause);
        Ok(())
    }

    fn settle_compaction(&mut self, round: u32) -> Applied {
        let is_now = self.phase == Phase::Ready && round == self.round + 1;
        let was_made = self.made.contains(&Purpose::Compact);
        if !is_now || !was_made || self.compactions.settled == Some(round) {
            return Err(format!("no summary is awaited for round {round} now"));
        }
        self.compactions.settled = Some(round);
        Ok(())
    }

    /// Returns the conversation with a text in place of everything that need not be retained. The instructions, the
    /// last message of the user, and the most recent calls of the model with their results are retained. If there is
    /// nothing else to replace, the text replaces those calls as well.
    pub(crate) fn compact_messages(&self, messages: &[Message], text: &str) -> Vec<Message> {
        let is_users = |message: &Message| matches!(message, Message::User { .. });
        let is_reply = |message: &Message| matches!(message, Message::Assistant(_));
        let said = messages.iter().rposition(is_users);
        let mut tail = unanswered_start(messages);
        if !messages[..tail].iter().any(is_reply) {
            tail = without_notes(messages).len();
        }
        // What the user has added since is part of what was asked.
        let since = messages[..tail]
            .iter()
            .skip(said.map_or(0, |said| said + 1));
        let added = since.filter(|message| is_users_note(message));
        let is_instruction = |message: &&Message| matches!(message, Message::System { .. });
        let instructions = messages[..tail].iter().filter(is_instruction);
        let mut shorter: Vec<Message> = instructions.cloned().collect();
        let mut content = vec![ContentBlock::text(text)];
        if let Some(Message::User { content: said }) = said.map(|said| &messages[said]) {
            // After a compaction in this turn, the last message of the user begins with that summary.
            let summary = usize::from(self.retained_facts().is_some());
            content.extend(said.iter().skip(summary).cloned());
        }
        shorter.push(Message::User { content });
        shorter.extend(added.cloned());
        shorter.extend(messages[tail..].iter().cloned());
        shorter
    }

    /// Replaces the first answer of `compress_history` by the result of the compaction.
    pub(super) fn set_compression_result(
        &self,
        messages: &mut [Message],
        came: &str,
        is_error: bool,
    ) {
        let offered = self.offered.as_ref();
        if offered.is_none_or(|offered| !offered.compress) {
            return;
        }
        let most = without_notes(messages).len();
        let [.., Message::Assistant(reply), Message::Tool { content }] = &mut messages[..most]
        else {
            return;
        };
        for call in reply.calls().filter(|call| call.name == COMPRESS_HISTORY) {
            let its = |result: &&mut ToolCallResult| result.call_id == call.id && !result.is_error;
            for result in content.iter_mut().filter(its) {
                result.content = Content::text(came);
                result.is_error = is_error;
            }
        }
    }
}

/// Returns the index of the first message that the model has not answered yet: the most recent calls, or a reply that
/// was cut short.
fn unanswered_start(messages: &[Message]) -> usize {
    let before = without_notes(messages);
    match before {
        [.., Message::Assistant(_), Message::Tool { .. }] => before.len() - 2,
        [.., Message::Assistant(_)] => before.len() - 1,
        _ => before.len(),
    }
}

fn is_users_note(message: &Message) -> bool {
    matches!(message, Message::Note(note) if note.source == NoteSource::User)
}
