//! The models of an agent: the main one, those beside it, and their loan to the calls of a turn.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::spec::Agent;
use super::turn::Purpose;
use helve_core::capability::{
    BackendError, ModelTier, ModelsBackend, SamplingRequest, SamplingResult,
};
use helve_core::support::lock::Mutex;
use helve_core::transcript::{CallAddress, Cost, Totals};
use helve_model::{KnownModel, Model, ModelName, Price, Prices, Reply};

/// The models beside the main one.
#[derive(Clone, Default)]
pub(super) struct TierModels {
    pub(super) small: Option<Arc<dyn Model>>,
    pub(super) vision: Option<Arc<dyn Model>>,
    pub(super) embed: Option<ModelName>,
}

impl TierModels {
    /// Returns these models, and those of another agent for the tiers that have none.
    pub(super) fn or(&self, other: &Self) -> Self {
        let (small, vision) = (self.small.as_ref(), self.vision.as_ref());
        Self {
            small: small.or(other.small.as_ref()).cloned(),
            vision: vision.or(other.vision.as_ref()).cloned(),
            embed: self.embed.as_ref().or(other.embed.as_ref()).cloned(),
        }
    }
}

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

    /// Returns the prices of the replies of its models.
    pub(super) fn reply_prices(&self) -> ReplyPrices<'_> {
        ReplyPrices {
            own: self.price.as_ref(),
            model: self.model.name(),
            listed: &self.prices,
        }
    }
}

/// The prices of an agent.
#[derive(Clone, Copy)]
pub(super) struct ReplyPrices<'a> {
    /// The price of the main model.
    own: Option<&'a Price>,
    model: Option<&'a ModelName>,
    listed: &'a Prices,
}

impl ReplyPrices<'_> {
    /// Returns the cost of a reply, if the price of its model is known.
    pub(super) fn cost(self, reply: &Reply) -> Cost {
        let source = reply.message.source.as_deref();
        let listed = source.and_then(|source| self.listed.for_reply(source));
        let is_ours = match (source, self.model) {
            (Some(source), Some(name)) => source.provider == name.provider(),
            _ => true,
        };
        let price = listed.or(self.own.filter(|_| is_ours));
        price.map_or(Cost::ZERO, |price| price.cost(&reply.usage))
    }
}

/// The models that the calls of one turn may use, and what the calls have used.
pub(super) struct TurnModels {
    main: Arc<dyn Model>,
    tiers: TierModels,
    price: Option<Price>,
    prices: Prices,
    used: Mutex<HashMap<CallAddress, Totals>>,
}

impl TurnModels {
    pub(super) fn new(agent: &Agent) -> Self {
        Self {
            main: Arc::clone(&agent.model),
            tiers: agent.tiers.clone(),
            price: agent.price,
            prices: agent.prices.clone(),
            used: Mutex::default(),
        }
    }

    /// Returns what a call has used, and forgets it.
    pub(super) fn take_used(&self, call: &CallAddress) -> Totals {
        self.used.lock().remove(call).unwrap_or_default()
    }

    fn model(&self, tier: ModelTier) -> Result<&Arc<dyn Model>, &'static str> {
        match tier {
            ModelTier::Small => Ok(self.tiers.small.as_ref().unwrap_or(&self.main)),
            ModelTier::Vision => Ok(self.tiers.vision.as_ref().unwrap_or(&self.main)),
            _ => Err("a model of this tier writes no text"),
        }
    }

    fn record(&self, call: &CallAddress, reply: &Reply) {
        let prices = ReplyPrices {
            own: self.price.as_ref(),
            model: self.main.name(),
            listed: &self.prices,
        };
        let mut used = self.used.lock();
        let used = used.entry(call.clone()).or_default();
        used.usage += reply.usage;
        used.cost += prices.cost(reply);
    }
}

impl ModelsBackend for TurnModels {
    fn name(&self, tier: ModelTier) -> Option<String> {
        let name = match tier {
            ModelTier::Embed => self.tiers.embed.as_ref(),
            _ => self.model(tier).ok()?.name(),
        };
        name.map(ToString::to_string)
    }

    fn complete<'a>(
        &'a self,
        tier: ModelTier,
        call: Option<&'a CallAddress>,
        request: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>> {
        async move {
            let model = self.model(tier)?;
            let (sampled, reply) = helve_model::sample(&**model, request).await?;
            if let Some(call) = call {
                self.record(call, &reply);
            }
            Ok(sampled)
        }
        .boxed()
    }
}

impl fmt::Debug for TurnModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ModelTier::ALL.map(|tier| (tier, self.name(tier)));
        f.debug_tuple("TurnModels").field(&names).finish()
    }
}
