//! The error of a call that needs a capability which its client has not declared.

use std::error::Error;

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, ErrorData, FormElicitationCapability,
    RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};

use helve_core::capability::{Elicitation, ElicitationRequest};
use helve_core::tool::ToolError;

/// The error of a request for input that the client does not support; the tool reads it, and through the tool the model.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct UndeclaredCapability {
    message: &'static str,
    required: Box<ClientCapabilities>,
}

impl UndeclaredCapability {
    pub(super) fn elicitation(elicitation: &Elicitation) -> Self {
        let kinds = ElicitationCapability::new();
        let kinds = match elicitation.request {
            ElicitationRequest::Form { .. } => kinds.with_form(FormElicitationCapability::new()),
            ElicitationRequest::Url { .. } => kinds.with_url(UrlElicitationCapability::new()),
        };
        let mut required = ClientCapabilities::default();
        required.elicitation = Some(kinds);
        Self::new("this client does not support elicitation", required)
    }

    pub(super) fn sampling() -> Self {
        let mut required = ClientCapabilities::default();
        required.sampling = Some(SamplingCapability::default());
        Self::new("this client does not support sampling", required)
    }

    pub(super) fn roots() -> Self {
        let mut required = ClientCapabilities::default();
        required.roots = Some(RootsCapabilities::default());
        Self::new("this client does not support roots", required)
    }

    fn new(message: &'static str, required: ClientCapabilities) -> Self {
        Self {
            message,
            required: Box::new(required),
        }
    }

    /// Searches the sources of a tool's error for an undeclared capability, and returns the protocol's error for it.
    pub(crate) fn find_in(error: &ToolError) -> Option<ErrorData> {
        let ToolError::Failed(failure) = error else {
            return None;
        };
        let first: Option<&(dyn Error + 'static)> = failure.source().map(|error| error as _);
        let mut links = std::iter::successors(first, |error| (*error).source());
        let undeclared = links.find_map(|error| error.downcast_ref::<Self>())?;
        let required = ClientCapabilities::clone(&undeclared.required);
        Some(ErrorData::missing_required_client_capability(required))
    }
}
