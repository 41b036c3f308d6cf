//! Secrets that are recognized by their value: those that a host gave to its tools.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::found_secret::FoundSecret;
use helve_core::capability::{BackendError, Secret, SecretsBackend};
use helve_core::support::lock::RwLock;

/// The minimum length of a learned secret in characters: shorter values occur in any text.
const MIN_SECRET_CHARS: usize = 4;

/// The learned secrets, shared by all clones of a redactor.
#[derive(Clone, Default)]
pub(super) struct LearnedSecrets(Arc<RwLock<Vec<Arc<str>>>>);

impl std::fmt::Debug for LearnedSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Learned({})", self.0.read().len())
    }
}

impl LearnedSecrets {
    /// Adds a secret in each of its forms: verbatim, in JSON, in a URL and in base64.
    pub(super) fn add(&self, secret: &Secret) {
        let value = secret.expose().trim();
        if value.chars().count() < MIN_SECRET_CHARS {
            return;
        }
        let mut known = self.0.write();
        let quoted = serde_json::to_string(value).unwrap_or_default();
        let forms = [
            value.to_owned(),
            quoted.trim_matches('"').to_owned(),
            percent_encode(value),
            STANDARD_NO_PAD.encode(value),
        ];
        for form in forms {
            if form.len() >= MIN_SECRET_CHARS && !known.iter().any(|known| **known == *form) {
                known.push(form.into());
            }
        }
        // A secret that contains another one is found first, so that the whole of it is redacted.
        known.sort_by_key(|form| std::cmp::Reverse(form.len()));
    }

    pub(super) fn find(&self, text: &str, hits: &mut Vec<FoundSecret>) {
        let known = self.0.read();
        for form in known.iter() {
            let found = text.match_indices(&**form);
            hits.extend(found.map(|(at, form)| FoundSecret::new("secret", at..at + form.len())));
        }
    }

    /// Reports whether any form contains a character that satisfies the predicate.
    pub(super) fn contains(&self, is_it: fn(char) -> bool) -> bool {
        self.0.read().iter().any(|form| form.contains(is_it))
    }

    /// Returns the length of the longest form, in bytes.
    pub(super) fn max_length(&self) -> usize {
        self.0.read().first().map_or(0, |form| form.len())
    }
}

fn percent_encode(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
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
