//! A use of a capability that did not succeed.

use super::{BackendError, Capability, Refusal, RefusalCode};

/// A use of a capability that did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CapabilityError {
    /// The door did not open. The reason is the source, so that it is found along a chain of errors.
    #[error("refused")]
    Refused(#[source] Refusal),
    /// The door opened, and what was asked for went wrong.
    #[error("using {capability} failed")]
    Failed {
        /// What was used.
        capability: Capability,
        /// What went wrong.
        source: BackendError,
    },
}

impl From<Refusal> for CapabilityError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl CapabilityError {
    /// Gives the code of the refusal, where it is one.
    #[must_use]
    pub fn code(&self) -> Option<RefusalCode> {
        match self {
            Self::Refused(refusal) => Some(refusal.code),
            Self::Failed { .. } => None,
        }
    }

    /// Adapts a backend's error, for `map_err`.
    pub(super) fn failed(capability: Capability) -> impl FnOnce(BackendError) -> Self {
        move |source| match source.downcast::<Refusal>() {
            // A backend may refuse too, such as a host that is on no list.
            Ok(refusal) => Self::Refused(*refusal),
            Err(source) => Self::Failed { capability, source },
        }
    }
}
