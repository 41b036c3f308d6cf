//! The models that the host lends to tools.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::client::{SamplingRequest, SamplingResult};
use crate::capability::handle::CapabilityHandle;
use crate::capability::{BackendError, Capability, CapabilityError};
use crate::transcript::CallAddress;

/// The maximum number of tokens of a reply to [`TierModel::ask`].
const MAX_REPLY_TOKENS: u32 = 4_096;

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

/// Lends the models of the host to tools.
pub trait ModelsBackend: Send + Sync + fmt::Debug {
    /// Returns the name of the model that a tier uses, as `provider/model`; `None` if the model has no name or the tier
    /// has no model.
    fn name(&self, tier: ModelTier) -> Option<String>;

    /// Requests a completion from the model of a tier. The cost of the reply belongs to the call.
    ///
    /// # Errors
    /// When the tier has no model, or the model failed.
    fn complete<'a>(
        &'a self,
        tier: ModelTier,
        call: Option<&'a CallAddress>,
        request: &'a SamplingRequest,
    ) -> BoxFuture<'a, Result<SamplingResult, BackendError>>;
}

/// A model that the host lends to a call. A tool need not declare this capability, since the host decides whether it
/// lends models.
///
/// The tokens and the cost of the replies are part of the call, and count towards the bounds of the turn. Replies that
/// are not complete when the call is cancelled do not count.
#[derive(Debug, Clone)]
pub struct TierModel {
    tier: ModelTier,
    call: Option<CallAddress>,
    handle: CapabilityHandle<dyn ModelsBackend>,
}

impl TierModel {
    pub(crate) fn new(
        tier: ModelTier,
        call: Option<CallAddress>,
        backend: Option<Arc<dyn ModelsBackend>>,
    ) -> Self {
        Self {
            tier,
            call,
            handle: CapabilityHandle::new(Capability::Models, true, backend),
        }
    }

    /// Returns the name of the model, as `provider/model`; `None` if there is no model or it has no name.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.handle.backend().ok()?.name(self.tier)
    }

    /// Asks the model, and returns the text of its reply.
    ///
    /// # Errors
    /// When the host lends no model of this tier, or the model failed.
    pub async fn ask(&self, prompt: impl Into<String>) -> Result<String, CapabilityError> {
        let request = SamplingRequest::from_text(prompt, MAX_REPLY_TOKENS);
        Ok(self.complete(&request).await?.text())
    }

    /// Requests a completion of a conversation, which may contain images.
    ///
    /// # Errors
    /// When the host lends no model of this tier, or the model failed.
    pub async fn complete(
        &self,
        request: &SamplingRequest,
    ) -> Result<SamplingResult, CapabilityError> {
        let backend = self.handle.backend()?;
        let completed = backend.complete(self.tier, self.call.as_ref(), request);
        completed
            .await
            .map_err(CapabilityError::failed(Capability::Models))
    }
}
