//! The models beside the main one, and their loan to the calls of an agent.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::TryStreamExt as _;

use super::image_support::reads_images;
use super::{Assembler, Model, ModelError, ModelName, ModelRequest, Price, Prices, Reply};
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_core::transcript::{CallAddress, Message, Totals};

/// What a model beside the main one is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ModelTier {
    /// A fast and cheap model for short texts: summaries, titles, classifications.
    Small,
    /// A model that reads images.
    Vision,
    /// A model that turns texts into vectors. It writes no text.
    Embed,
}

impl ModelTier {
    /// All tiers.
    pub const ALL: [Self; 3] = [Self::Small, Self::Vision, Self::Embed];

    /// Returns the name of the tier, as in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Vision => "vision",
            Self::Embed => "embed",
        }
    }
}

impl fmt::Display for ModelTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The models that a call may use; implemented for [`ToolContext`], and part of the prelude.
///
/// ```
/// use helve::model::{ModelError, ModelTier};
/// use helve::prelude::*;
///
/// /// Writes a headline.
/// #[tool(read_only)]
/// async fn headline(
///     /// The article.
///     article: String,
///     cx: &ToolContext,
/// ) -> Result<String, ModelError> {
///     let small = cx.model(ModelTier::Small);
///     small.ask(format!("Write a headline of at most ten words:\n\n{article}")).await
/// }
/// ```
pub trait LendsModels {
    /// Returns the model of a tier. Where the agent has no small or vision model, it is the main model.
    fn model(&self, tier: ModelTier) -> TierModel;

    /// Returns who reads the images of the call.
    fn image_reader(&self) -> ImageReader;
}

/// Who reads the images of a call.
///
/// Whether a model reads images is known of well-known models, by their names. Where it is not known, the main model reads
/// them unless the agent has a vision model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ImageReader {
    /// The caller: the main model of the agent, or a person or a client of the server.
    Caller,
    /// The vision model of the agent, because the main model reads no images.
    Vision(TierModel),
    /// No model: the main model reads no images, and the agent has no vision model that does.
    Unavailable {
        /// The name of the main model.
        main: ModelName,
    },
}

impl LendsModels for ToolContext {
    fn model(&self, tier: ModelTier) -> TierModel {
        let (models, call) = self.lent_models().unzip();
        TierModel {
            tier,
            call: call.flatten(),
            models: models.and_then(LentModels::from_context),
        }
    }

    fn image_reader(&self) -> ImageReader {
        let vision = self.model(ModelTier::Vision);
        let Some(models) = &vision.models else {
            return ImageReader::Caller;
        };
        let main = models.main.name();
        let has_vision = models
            .tiers
            .vision
            .as_ref()
            .is_some_and(|vision| vision.name().and_then(reads_images) != Some(false));
        match (main, main.and_then(reads_images)) {
            (_, Some(true)) => ImageReader::Caller,
            _ if has_vision => ImageReader::Vision(vision),
            (Some(main), Some(false)) => ImageReader::Unavailable { main: main.clone() },
            _ => ImageReader::Caller,
        }
    }
}

/// A model that an agent lends to a call. A tool need not declare that it uses one. A call that no agent makes, but a
/// person or a client of the server, has no models.
///
/// The tokens and the cost of the replies are part of the call, and count towards the bounds of the turn. Replies that
/// are not complete when the call is cancelled do not count.
#[derive(Debug, Clone)]
pub struct TierModel {
    tier: ModelTier,
    call: Option<CallAddress>,
    models: Option<Arc<LentModels>>,
}

impl TierModel {
    /// Returns the name of the model; `None` if there is no model or it has no name.
    #[must_use]
    pub fn name(&self) -> Option<&ModelName> {
        let models = self.models.as_deref()?;
        match self.tier {
            ModelTier::Embed => models.tiers.embed.as_ref(),
            tier => models.model(tier).ok()?.name(),
        }
    }

    /// Reports whether an agent makes the call, and lends its models.
    #[must_use]
    pub fn is_lent(&self) -> bool {
        self.models.is_some()
    }

    /// Asks the model, and returns the text of its reply.
    ///
    /// # Errors
    /// When no agent makes the call, the tier has no model that writes, or the model failed.
    pub async fn ask(&self, prompt: impl Into<String>) -> Result<String, ModelError> {
        let request = ModelRequest::new(vec![Message::user(prompt)]);
        Ok(self.reply(&request).await?.message.text())
    }

    /// Sends a request, whose messages may contain images.
    ///
    /// # Errors
    /// When no agent makes the call, the tier has no model that writes, or the model failed.
    pub async fn reply(&self, request: &ModelRequest) -> Result<Reply, ModelError> {
        let Some(models) = &self.models else {
            let why = "no agent makes this call, and only an agent has models";
            return Err(ModelError::not_configured(why));
        };
        let model = models.model(self.tier)?;
        let mut assembler = Assembler::new();
        let mut events = model.reply(request);
        while let Some(event) = events.try_next().await? {
            assembler.push(event)?;
        }
        let reply = assembler.finish()?;
        if let Some(call) = &self.call {
            models.record(call, &reply);
        }
        Ok(reply)
    }
}

/// The models beside the main one.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct TierModels {
    pub small: Option<Arc<dyn Model>>,
    pub vision: Option<Arc<dyn Model>>,
    pub embed: Option<ModelName>,
}

impl TierModels {
    /// Returns these models, and those of another agent for the tiers that have none.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let (small, vision) = (self.small.as_ref(), self.vision.as_ref());
        Self {
            small: small.or(other.small.as_ref()).cloned(),
            vision: vision.or(other.vision.as_ref()).cloned(),
            embed: self.embed.as_ref().or(other.embed.as_ref()).cloned(),
        }
    }
}

/// The models that the calls of one turn may use, and what the calls have used.
#[doc(hidden)]
pub struct LentModels {
    main: Arc<dyn Model>,
    tiers: TierModels,
    price: Option<Price>,
    prices: Prices,
    used: Mutex<HashMap<CallAddress, Totals>>,
}

impl LentModels {
    /// Creates the models from those of an agent.
    #[must_use]
    pub fn new(
        main: Arc<dyn Model>,
        tiers: TierModels,
        price: Option<Price>,
        prices: Prices,
    ) -> Arc<Self> {
        let used = Mutex::default();
        Arc::new(Self {
            main,
            tiers,
            price,
            prices,
            used,
        })
    }

    /// Returns the models as the context of a call holds them.
    #[must_use]
    pub fn for_context(self: &Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        Arc::<Self>::clone(self)
    }

    /// Returns the models and a conversation as the context of a call holds them whose tool reads the conversation.
    #[must_use]
    pub fn with_conversation(
        self: &Arc<Self>,
        conversation: Arc<ModelRequest>,
    ) -> Arc<dyn Any + Send + Sync> {
        let models = Arc::clone(self);
        Arc::new(LoanWithConversation {
            models,
            conversation,
        })
    }

    fn from_context(loan: Arc<dyn Any + Send + Sync>) -> Option<Arc<Self>> {
        match loan.downcast::<Self>() {
            Ok(models) => Some(models),
            Err(loan) => {
                let loan = loan.downcast::<LoanWithConversation>().ok()?;
                Some(Arc::clone(&loan.models))
            }
        }
    }

    /// Returns what a call has used, and forgets it.
    #[must_use]
    pub fn take_used(&self, call: &CallAddress) -> Totals {
        let mut used = self.used.lock();
        // Most tools call no model, and an empty map hashes what it looks for, too.
        match used.is_empty() {
            true => Totals::default(),
            false => used.remove(call).unwrap_or_default(),
        }
    }

    fn model(&self, tier: ModelTier) -> Result<&Arc<dyn Model>, ModelError> {
        match tier {
            ModelTier::Small => Ok(self.tiers.small.as_ref().unwrap_or(&self.main)),
            ModelTier::Vision => Ok(self.tiers.vision.as_ref().unwrap_or(&self.main)),
            ModelTier::Embed => Err(ModelError::not_configured(
                "an embedding model writes no text",
            )),
        }
    }

    fn record(&self, call: &CallAddress, reply: &Reply) {
        let cost = self
            .prices
            .reply_cost(self.price.as_ref(), self.main.name(), reply);
        let mut used = self.used.lock();
        let used = used.entry(call.clone()).or_default();
        used.usage += reply.usage;
        used.cost += cost;
    }
}

/// What the context of a call holds whose tool reads the conversation.
pub(super) struct LoanWithConversation {
    models: Arc<LentModels>,
    pub(super) conversation: Arc<ModelRequest>,
}

impl fmt::Debug for LentModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentModels")
            .field("main", &self.main.name())
            .finish_non_exhaustive()
    }
}
