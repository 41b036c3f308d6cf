//! Exposing tools to the model in the course of a turn.

use std::sync::Arc;

use super::state::{Driver, Recorded};
use crate::exposure::{ExposedTools, SuggestionRequest, parse_suggestion};
use crate::turn::{Purpose, Record};
use helve_core::transcript::ToolName;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns the state of the switches: as this turn left them, or as the turn before did.
    pub(super) fn exposed_tools(&self) -> &ExposedTools {
        self.turn.exposed_tools().unwrap_or(self.tools.initial)
    }

    /// Updates the tools of the request after a change of the toolset or the switches.
    pub(super) fn update_visible_tools(&mut self) {
        let exposed = self.turn.exposed_tools().unwrap_or(self.tools.initial);
        if self.tools.update(exposed) {
            let tools = self.tools.visible.request();
            Arc::make_mut(&mut self.request).tools = tools;
        }
    }

    /// Reports whether the model itself is to choose among the tools, before the first reply of a turn.
    pub(super) fn wants_suggestion(&self, round: u32) -> bool {
        self.agent.exposure.is_suggested_by_model
            && self.tools.is_suggestion_due(round)
            && self.turn.may_want(Purpose::SuggestTools)
    }

    /// Records the state of the switches if it differs from the recorded one, which includes the state that the last
    /// turn left and the suggestions for this turn. The caller has just [updated](Self::update_visible_tools) the
    /// visible tools.
    pub(super) async fn expose_tools(&mut self, round: u32) -> Recorded {
        let is_choosing = self.tools.is_suggestion_due(round);
        let compress = self.offers_compression(self.exposed_tools().compress);
        if self.is_exposure_recorded() && compress == self.exposed_tools().compress && !is_choosing
        {
            return Ok(());
        }
        // The future is boxed, since usually nothing has changed.
        Box::pin(self.record_exposure(is_choosing)).await
    }

    /// Reports whether the records of the turn hold the state of the switches.
    fn is_exposure_recorded(&self) -> bool {
        self.turn.exposed_tools().is_some() || self.tools.initial.is_empty()
    }

    async fn record_exposure(&mut self, is_choosing: bool) -> Recorded {
        let mut offered = self.exposed_tools().clone();
        if is_choosing {
            let names = self.suggest_tools().await;
            self.tools.has_suggested = true;
            offered = offered.with_suggestions(names, self.agent.exposure.max_suggested());
        }
        offered.compress = self.offers_compression(offered.compress);
        let is_recorded = match self.turn.exposed_tools() {
            Some(recorded) => *recorded == offered,
            None => offered == ExposedTools::default(),
        };
        if !is_recorded {
            self.record_one(Record::Offered { offered }).await?;
        }
        if !is_recorded || is_choosing {
            // The switches have changed, or the tools may have while the selection ran.
            self.update_visible_tools();
        }
        Ok(())
    }

    async fn suggest_tools(&mut self) -> Vec<ToolName> {
        let visible = &self.tools.visible;
        let (tools, limit) = (visible.reachable(), visible.limit());
        if let Some(reply) = self.tools.suggestion_reply.take() {
            let names = parse_suggestion(&reply, &tools);
            return names.into_iter().take(limit).collect();
        }
        let request = SuggestionRequest::new(&self.request.messages, tools, limit);
        let names = self.agent.exposure.suggester.suggest(&request).await;
        let is_known = |name: &ToolName| request.tools.get(name).is_some();
        names.into_iter().filter(is_known).take(limit).collect()
    }
}
