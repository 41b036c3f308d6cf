//! The common part of all capabilities: a declaration, a backend, and the check of both.

use std::fmt;
use std::sync::Arc;

use super::{Capability, Refusal};

/// A backend behind a declaration.
pub(super) struct CapabilityHandle<B: ?Sized> {
    capability: Capability,
    declared: bool,
    backend: Option<Arc<B>>,
}

impl<B: ?Sized> CapabilityHandle<B> {
    pub(super) fn new(capability: Capability, declared: bool, backend: Option<Arc<B>>) -> Self {
        Self {
            capability,
            declared,
            backend,
        }
    }

    /// Returns the backend if the capability is declared and granted.
    pub(super) fn backend(&self) -> Result<&B, Refusal> {
        if !self.declared {
            return Err(Refusal::not_declared(self.capability));
        }
        let granted = self.backend.as_deref();
        granted.ok_or_else(|| Refusal::not_granted(self.capability))
    }
}

// Implemented by hand, because a derive would require the backend to be `Clone`.
impl<B: ?Sized> Clone for CapabilityHandle<B> {
    fn clone(&self) -> Self {
        Self {
            capability: self.capability,
            declared: self.declared,
            backend: self.backend.clone(),
        }
    }
}

// Implemented by hand, because a backend may hold credentials.
impl<B: ?Sized> fmt::Debug for CapabilityHandle<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapabilityHandle")
            .field("capability", &self.capability)
            .field("declared", &self.declared)
            .field("granted", &self.backend.is_some())
            .finish()
    }
}
