//! The models of an agent that are not called for replies.

use std::sync::Arc;

use super::spec::Agent;
use super::turn::Purpose;
use helve_core::transcript::Cost;
use helve_model::{KnownModel, LentModels, Model, Reply};

impl Agent {
    /// Returns the model for calls of a purpose: texts about the conversation are written by the small model.
    pub(super) fn model_for(&self, purpose: Purpose) -> &Arc<dyn Model> {
        match purpose {
            Purpose::Compact | Purpose::Summarise => self.tiers.small.as_ref(),
            _ => None,
        }
        .unwrap_or(&self.model)
    }

    /// Returns the number of tokens that fit into the context of the model that writes summaries, as far as it is known.
    pub(super) fn summary_window(&self) -> Option<u64> {
        let small = self.tiers.small.as_ref().and_then(|small| small.name());
        let known = small.and_then(KnownModel::find);
        let windows = [known.map(|known| known.context_window), self.context_window];
        windows.into_iter().flatten().min()
    }

    /// Returns the cost of a reply, if the price of its model is known.
    pub(super) fn reply_cost(&self, reply: &Reply) -> Cost {
        let main = self.model.name();
        self.prices.reply_cost(self.price.as_ref(), main, reply)
    }

    /// Returns the models that the calls of a turn may use.
    pub(super) fn lent_models(&self) -> Arc<LentModels> {
        let (main, tiers) = (Arc::clone(&self.model), self.tiers.clone());
        LentModels::new(main, tiers, self.price, self.prices.clone())
    }
}
