//! Secrets that are recognized by their value: those that a host gave to its tools.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use helve_secrets::LiveSecrets;

use super::found_secret::FoundSecret;
use helve_core::capability::{BackendError, Secret, SecretsBackend};

/// The learned secrets, shared by all clones of a redactor.
#[derive(Debug, Clone, Default)]
pub(super) struct LearnedSecrets(LiveSecrets);

impl LearnedSecrets {
    /// Adds a secret, which is found in each of its encodings. The log of the process does not contain it, either.
    pub(super) fn add(&self, secret: &Secret) {
        self.0.add(secret);
        LiveSecrets::of_process().add(secret);
    }

    pub(super) fn find(&self, text: &str, hits: &mut Vec<FoundSecret>) {
        let found = self.0.find(text.as_bytes()).into_iter();
        hits.extend(found.map(|range| FoundSecret::new("secret", range)));
    }

    /// Returns the first position from which on the text may be the beginning of a secret.
    pub(super) fn pending_start(&self, text: &str) -> Option<usize> {
        self.0.pending_start(text.as_bytes())
    }
}

/// Masks, in bytes of a log, the secrets that any redactor of this process has learned.
#[must_use]
pub fn mask_process_secrets(bytes: &[u8]) -> Cow<'_, [u8]> {
    LiveSecrets::of_process().mask_bytes(bytes)
}

/// A secrets backend that passes its secrets to the redactor.
#[derive(Debug)]
pub(super) struct LearningBackend {
    pub(super) backend: Arc<dyn SecretsBackend>,
    pub(super) learned: LearnedSecrets,
}

impl SecretsBackend for LearningBackend {
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Secret>, BackendError>> {
        let given = self.backend.get(name);
        Box::pin(given.inspect(|given| {
            if let Ok(Some(secret)) = given {
                self.learned.add(secret);
            }
        }))
    }
}
