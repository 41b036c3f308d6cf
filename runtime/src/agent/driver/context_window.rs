//! Keeping a conversation within the model's context.

use std::sync::Arc;

use super::Driver;
use crate::agent::compaction;
use crate::agent::offer;
use crate::agent::reading::{Age, Ageing};
use crate::agent::turn::Purpose;
use crate::model::ModelRequest;
use crate::transcript::{Message, Usage};

/// How full the context is when the conversation is summed up.
const COMPACT_AT: f64 = 0.8;

/// How full the model's context is, and what was done about it.
#[derive(Debug, Default)]
pub(super) struct ContextWindow {
    /// What the last reply used up.
    last: Usage,
    ageing: Ageing,
    /// The round before which the conversation was last made shorter.
    compacted: Option<u32>,
}

impl ContextWindow {
    pub(super) fn replied(&mut self, usage: Usage) {
        self.last = usage;
    }

    pub(super) fn was_compacted(&mut self, round: u32) {
        let compacted = Some(round);
        *self = Self {
            compacted,
            ..Self::default()
        };
    }

    /// Returns how much of so many tokens the last request and its reply filled, from 0 to 1; an estimate of what the next
    /// one has, where there was none, or where nobody said how much.
    fn fill(&self, window: u64, next: &ModelRequest) -> f64 {
        let said = self
            .last
            .input_tokens
            .saturating_add(self.last.output_tokens);
        let has_replies = || {
            next.messages
                .iter()
                .any(|message| matches!(message, Message::Assistant(_)))
        };
        let tokens = match said {
            // What was only asked so far cannot be told in fewer words.
            0 if has_replies() => next.estimated_tokens(),
            said => said,
        };
        // Beyond 2^53 tokens the last digit does not matter.
        tokens as f64 / window.max(1) as f64
    }
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Reports whether so little room is left that the conversation is to be made shorter before a round.
    pub(super) fn wants_compaction(&self, round: u32) -> bool {
        let Some(window) = self.agent.context_window else {
            return false;
        };
        self.turn.may_want(Purpose::Compact)
            && self.context_window.compacted != Some(round)
            && self.context_window.fill(window, &self.request) >= COMPACT_AT
    }

    /// Makes the request of a model call.
    pub(super) fn request_for(&mut self, purpose: Purpose) -> Arc<ModelRequest> {
        if purpose == Purpose::Compact {
            return Arc::new(compaction::request(&self.request));
        }
        if purpose == Purpose::SuggestTools {
            return Arc::new(offer::model_request(&self.request, &self.window));
        }
        let filled = self.agent.context_window;
        if let Some(window) = filled {
            let fill = self.context_window.fill(window, &self.request);
            self.context_window.ageing.rise(fill);
        }
        if self.context_window.ageing.age() == Age::Whole {
            return self.request.clone();
        }
        let mut shorter = ModelRequest::clone(&self.request);
        self.context_window.ageing.apply(&mut shorter.messages);
        Arc::new(shorter)
    }
}
