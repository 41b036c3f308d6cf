//! What a call needed of its client, and the client has not declared.

use std::error::Error;

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, ErrorData, FormElicitationCapability,
    RootsCapabilities, SamplingCapability, UrlElicitationCapability,
};

use crate::capability::{Elicitation, ElicitationRequest};
use crate::tool::ToolError;

/// Says that the client cannot be asked for something; written for the tool, and with it for the model.
#[derive(Debug, thiserror::Error)]
#[error("{said}")]
pub(in crate::serve) struct Undeclared {
    said: &'static str,
    needed: Box<ClientCapabilities>,
}

impl Undeclared {
    pub(super) fn elicitation(elicitation: &Elicitation) -> Self {
        let kinds = ElicitationCapability::new();
        let kinds = match elicitation.request {
            ElicitationRequest::Form { .. } => kinds.with_form(FormElicitationCapability::new()),
            ElicitationRequest::Url { .. } => kinds.with_url(UrlElicitationCapability::new()),
        };
        let mut needed = ClientCapabilities::default();
        needed.elicitation = Some(kinds);
        Self::of("this client has nobody to ask", needed)
    }

    pub(super) fn sampling() -> Self {
        let mut needed = ClientCapabilities::default();
        needed.sampling = Some(SamplingCapability::default());
        Self::of("this client has no model to lend", needed)
    }

    pub(super) fn roots() -> Self {
        let mut needed = ClientCapabilities::default();
        needed.roots = Some(RootsCapabilities::default());
        Self::of("this client does not tell its roots", needed)
    }

    fn of(said: &'static str, needed: ClientCapabilities) -> Self {
        Self {
            said,
            needed: Box::new(needed),
        }
    }

    /// Returns the error of a request that failed for want of it, in the protocol that has one: `None` where a call failed
    /// for another reason, or not.
    pub(in crate::serve) fn in_failure(error: &ToolError) -> Option<ErrorData> {
        let ToolError::Failed(failure) = error else {
            return None;
        };
        let mut link: Option<&(dyn Error + 'static)> = failure.source().map(|error| error as _);
        while let Some(error) = link {
            if let Some(undeclared) = error.downcast_ref::<Self>() {
                let needed = ClientCapabilities::clone(&undeclared.needed);
                return Some(ErrorData::missing_required_client_capability(needed));
            }
            link = error.source();
        }
        None
    }
}
