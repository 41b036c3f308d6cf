//! The key-value capability.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::capability::handle::CapabilityHandle;
use crate::capability::{BackendError, Capability, CapabilityError, Requires};

/// Stores values for tools.
pub trait KeyValueBackend: Send + Sync + std::fmt::Debug {
    /// Reads the value of a key; `None` if the key has no value.
    ///
    /// # Errors
    /// When the store fails.
    fn get<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, BackendError>>;

    /// Writes the value of a key, replacing the previous value.
    ///
    /// # Errors
    /// When the store fails or is full.
    fn set<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<(), BackendError>>;

    /// Removes a key with its value, and returns whether the key existed.
    ///
    /// # Errors
    /// When the store fails.
    fn remove<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<bool, BackendError>>;

    /// Lists at most `most` keys that start with a prefix, in their order.
    ///
    /// # Errors
    /// When the store fails.
    fn keys<'a>(
        &'a self,
        scope: &'a str,
        prefix: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, BackendError>>;
}

/// The keys and values in the scope that the host granted to a tool.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Remembers a fact.
/// #[tool(requires(kv))]
/// async fn remember(
///     context: &ToolContext,
///     /// What the fact is about.
///     subject: &str,
///     /// The fact.
///     fact: &str,
/// ) -> Result<(), ToolError> {
///     context.kv("facts").set(subject, fact).await?;
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct KeyValue {
    handle: CapabilityHandle<dyn KeyValueBackend>,
    scope: Arc<str>,
}

impl KeyValue {
    /// Combines the declaration of a tool with the grant of the host: a store, and the scope that separates
    /// its keys from others.
    pub fn new(
        requires: &Requires,
        scope: impl Into<Arc<str>>,
        backend: Option<Arc<dyn KeyValueBackend>>,
    ) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::KeyValue, requires.kv, backend),
            scope: scope.into(),
        }
    }

    /// Reads the value of a key; `None` if the key has no value.
    ///
    /// # Errors
    /// When the tool did not declare `requires(kv)`, the host granted no store, or the store fails.
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CapabilityError> {
        let got = self.handle.backend()?.get(&self.scope, key).await;
        got.map_err(CapabilityError::failed(Capability::KeyValue))
    }

    /// Writes the value of a key, replacing the previous value.
    ///
    /// # Errors
    /// When the tool did not declare `requires(kv)`, the host granted no store, or the store fails.
    pub async fn set(&self, key: &str, value: impl Into<Vec<u8>>) -> Result<(), CapabilityError> {
        let backend = self.handle.backend()?;
        let set = backend.set(&self.scope, key, value.into()).await;
        set.map_err(CapabilityError::failed(Capability::KeyValue))
    }

    /// Removes a key with its value, and returns whether the key existed.
    ///
    /// # Errors
    /// When the tool did not declare `requires(kv)`, the host granted no store, or the store fails.
    pub async fn remove(&self, key: &str) -> Result<bool, CapabilityError> {
        let removed = self.handle.backend()?.remove(&self.scope, key).await;
        removed.map_err(CapabilityError::failed(Capability::KeyValue))
    }

    /// Lists at most `most` keys that start with a prefix, in their order.
    ///
    /// # Errors
    /// When the tool did not declare `requires(kv)`, the host granted no store, or the store fails.
    pub async fn keys(&self, prefix: &str, most: usize) -> Result<Vec<String>, CapabilityError> {
        let keys = self.handle.backend()?.keys(&self.scope, prefix, most).await;
        keys.map_err(CapabilityError::failed(Capability::KeyValue))
    }
}
