//! Keeps a conversation within the context of the model.

use std::sync::Arc;

use super::state::Driver;
use crate::compaction;
use crate::exposure;
use crate::turn::Purpose;
use helve_core::transcript::Message;
use helve_model::ModelRequest;
use helve_results::PruningLevel;

/// The fill of the context at which the model may ask for a compaction.
const OFFER_AT: f64 = 0.5;

fn has_replies(request: &ModelRequest) -> bool {
    let is_reply = |message: &Message| matches!(message, Message::Assistant(_));
    request.messages.iter().any(is_reply)
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns the fill of the context by the last request and its reply, from 0 to 1; `None` if the size of the context is
    /// unknown. The tokens of the next request are counted if the provider has not returned a number.
    fn context_fill(&self) -> Option<f64> {
        let window = self.agent.context_window?;
        let tokens = match self.turn.reported_tokens() {
            // A conversation without replies cannot be compacted.
            0 if has_replies(&self.request) => self.agent.counter.count_request(&self.request),
            said => said,
        };
        // Beyond 2^53 tokens the last digit does not matter.
        Some(tokens as f64 / window.max(1) as f64)
    }

    /// Reports whether the conversation is to be compacted before the next round: the context is nearly full, or the model
    /// has asked for it.
    pub(super) fn wants_compaction(&self) -> bool {
        if !self.turn.may_compact() || !has_replies(&self.request) {
            return false;
        }
        let is_asked_for = self.exposed_tools().compress
            && compaction::find_compaction_request(&self.request.messages).is_some();
        is_asked_for
            || self.wants_first_compaction()
            || self
                .context_fill()
                .is_some_and(|fill| fill >= self.agent.compact_at)
    }

    /// Reports whether the user has asked for a compaction, which happens before the first reply of the turn.
    fn wants_first_compaction(&self) -> bool {
        self.agent.compacts_first.is_some() && self.turn.round() == 0
    }

    /// Reports whether the model may ask for a compaction. It may until the compaction is done, since each change of the tools
    /// invalidates the prompt cache of the provider.
    pub(super) fn offers_compression(&self, is_offered: bool) -> bool {
        if is_offered && !self.turn.has_just_compacted() {
            return true;
        }
        has_replies(&self.request) && self.context_fill().is_some_and(|fill| fill >= OFFER_AT)
    }

    pub(super) fn build_request(&mut self, purpose: Purpose) -> Arc<ModelRequest> {
        if purpose == Purpose::Compact {
            return Arc::new(self.build_summary_request());
        }
        if purpose == Purpose::SuggestTools {
            let asking = exposure::suggestion_request(&self.request, &self.tools.visible);
            return Arc::new(asking);
        }
        if let Some(fill) = self.context_fill() {
            self.pruning.raise(fill);
        }
        if self.pruning.level() == PruningLevel::Whole {
            return self.request.clone();
        }
        let mut shorter = ModelRequest::clone(&self.request);
        self.pruning.apply(&mut shorter.messages);
        Arc::new(shorter)
    }

    /// Builds the request for a summary, cut so that the request and the summary fit into the context.
    fn build_summary_request(&self) -> ModelRequest {
        let asked = compaction::find_compaction_request(&self.request.messages).flatten();
        let wish = asked.filter(|_| self.exposed_tools().compress);
        let users = self.agent.compacts_first.clone();
        let users = users.filter(|keep| self.wants_first_compaction() && !keep.is_empty());
        let wish = users.or(wish);
        let mut request = compaction::build_summary_request(&self.request, wish.as_deref());
        if let Some(window) = self.agent.summary_window() {
            let room = window - window / 10;
            compaction::fit_request(&mut request, &*self.agent.counter, room);
        }
        request
    }
}
