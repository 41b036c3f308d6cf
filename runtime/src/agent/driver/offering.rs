//! What the model is shown of its tools, in the course of a turn.

use std::sync::Arc;

use super::{Driver, Unrecorded};
use crate::agent::offer::{Offered, Suggesting, SuggestionRequest, Window, names_in};
use crate::agent::turn::{Purpose, Record};
use crate::model::Reply;
use crate::transcript::ToolName;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Returns where the switches stand: as this turn left them, or as the one before did.
    pub(super) fn offered(&self) -> &Offered {
        self.turn.offered().unwrap_or(self.offered_before)
    }

    /// Brings what the model is shown up to date with its tools and its switches.
    pub(super) fn look_at_tools(&mut self) {
        let toolset = &self.agent.toolset;
        if self.window.is_of(toolset, self.offered(), self.context) {
            return;
        }
        let (offering, offered) = (self.agent.offering.clone(), self.offered().clone());
        let window = Window::new(toolset.clone(), offering, offered, self.context, self.desk);
        self.window = Arc::new(window);
        let tools = self.window.request();
        Arc::make_mut(&mut self.request).tools = tools;
    }

    /// Reports whether the model itself is to choose among the tools, before the first reply of a turn.
    pub(super) fn wants_suggestion(&self, round: u32) -> bool {
        let by_model = matches!(self.agent.offering.suggesting, Suggesting::Model(_));
        by_model && self.is_choosing(round) && self.turn.may_want(Purpose::SuggestTools)
    }

    fn is_choosing(&self, round: u32) -> bool {
        round == 1 && self.window.is_chosen() && !self.has_suggested
    }

    /// Writes down what the model is shown from now on, where that is another than before: what the last turn left, and
    /// what is suggested for this one. The tools were [looked at](Self::look_at_tools) just now.
    pub(super) async fn offer_tools(&mut self, round: u32) -> Result<(), Unrecorded> {
        let is_choosing = self.is_choosing(round);
        let compress = self.offers_compression(self.offered().compress);
        if self.is_said() && compress == self.offered().compress && !is_choosing {
            return Ok(());
        }
        // In a box of its own: most of the time nothing is another.
        Box::pin(self.offer(is_choosing)).await
    }

    /// Reports whether the records of the turn say where the switches stand.
    fn is_said(&self) -> bool {
        self.turn.offered().is_some() || *self.offered_before == Offered::default()
    }

    async fn offer(&mut self, is_choosing: bool) -> Result<(), Unrecorded> {
        let mut offered = self.offered().clone();
        if is_choosing {
            let names = self.suggested().await;
            self.has_suggested = true;
            offered = offered.suggesting(names, self.agent.offering.most_suggested());
        }
        offered.compress = self.offers_compression(offered.compress);
        let is_said = match self.turn.offered() {
            Some(said) => *said == offered,
            None => offered == Offered::default(),
        };
        if !is_said {
            self.record_one(Record::Offered { offered }).await?;
        }
        if !is_said || is_choosing {
            // The switches are others, or the choice took a while.
            self.look_at_tools();
        }
        Ok(())
    }

    /// Lists the tools that somebody suggests, as far as the agent has them.
    async fn suggested(&mut self) -> Vec<ToolName> {
        let (tools, limit) = (self.window.reachable(), self.window.limit());
        if let Some(reply) = self.suggestion.take() {
            return names_in(&reply, &tools).into_iter().take(limit).collect();
        }
        let (Suggesting::By(suggester) | Suggesting::Model(suggester)) =
            &self.agent.offering.suggesting;
        let request = SuggestionRequest::new(&self.request.messages, tools, limit);
        let names = suggester.suggest(&request).await;
        let known = names
            .into_iter()
            .filter(|name| request.tools.get(name).is_some());
        known.take(limit).collect()
    }

    /// Keeps what the model said when it was asked which tools it needs.
    pub(super) fn take_suggestion(&mut self, reply: &Reply) {
        self.suggestion = Some(reply.message.text());
    }
}
