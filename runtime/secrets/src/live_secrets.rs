//! The secrets that are looked for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use helve_core::capability::Secret;
use helve_core::support::lock::RwLock;

use crate::base64_form::Base64Form;
use crate::outcome::MatchOutcome;
use crate::{byte_forms, escaped_form};

/// The minimum length of a secret in characters: shorter values occur in any text.
const MIN_SECRET_CHARS: usize = 4;

/// What a masked secret is replaced by.
const MASK: &str = "[REDACTED:secret]";

/// The secrets that are found in text by their value. Clones share them.
#[derive(Clone, Default)]
pub struct LiveSecrets(Arc<RwLock<Vec<Arc<KnownSecret>>>>);

/// A secret with its forms.
struct KnownSecret {
    value: String,
    base64: Vec<Base64Form>,
    /// For each byte, the forms that can begin with it, as bits in their order.
    starts: [u8; 256],
    /// The most backslashes of a run that the beginning of the secret can be.
    reach: usize,
}

impl LiveSecrets {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the secrets that any part of this process has learned, which its log must not contain.
    pub fn of_process() -> &'static Self {
        static ALL: LazyLock<LiveSecrets> = LazyLock::new(LiveSecrets::new);
        &ALL
    }

    /// Adds a secret, without the white space around it. A value of fewer than four characters is not added, since it
    /// occurs in any text.
    pub fn add(&self, secret: &Secret) {
        let value = secret.expose().trim();
        let is_short = value.chars().count() < MIN_SECRET_CHARS;
        if is_short || self.0.read().iter().any(|known| known.value == value) {
            return;
        }
        self.0.write().push(Arc::new(KnownSecret::new(value)));
    }

    /// Reports whether there are no secrets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.read().is_empty()
    }

    /// Finds all secrets, in the order of their starts. Ranges may overlap, and lie at the boundaries of characters if the
    /// text is UTF-8.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.scan(text, |start, outcome| {
            if let MatchOutcome::Found { end, .. } = outcome {
                found.push(start..end);
            }
        });
        found.sort_by_key(|range| (range.start, usize::MAX - range.end));
        found
    }

    /// Returns the first position from which on the text may be the beginning of a secret that later text completes.
    #[must_use]
    pub fn pending_start(&self, text: &[u8]) -> Option<usize> {
        let mut pending: Option<usize> = None;
        self.scan(text, |start, outcome| {
            // A match at the end may be a longer one, in which the last character is escaped otherwise.
            let is_open = match outcome {
                MatchOutcome::Found { end, is_open } => is_open || end == text.len(),
                outcome => outcome == MatchOutcome::Pending,
            };
            if is_open {
                pending = Some(pending.map_or(start, |first| first.min(start)));
            }
        });
        pending
    }

    /// Masks the secrets in a text.
    #[must_use]
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.mask_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => text.into(),
            Cow::Owned(masked) => String::from_utf8_lossy(&masked).into_owned().into(),
        }
    }

    /// Masks the secrets in bytes, which need not be text.
    #[must_use]
    pub fn mask_bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        let found = self.find(bytes);
        if found.is_empty() {
            return bytes.into();
        }
        let (mut masked, mut from) = (Vec::with_capacity(bytes.len()), 0);
        for range in found {
            if range.start >= from {
                masked.extend_from_slice(&bytes[from..range.start]);
                masked.extend_from_slice(MASK.as_bytes());
            }
            from = from.max(range.end);
        }
        masked.extend_from_slice(&bytes[from..]);
        masked.into()
    }

    /// Compares each position of a text with each secret.
    fn scan(&self, text: &[u8], mut on_outcome: impl FnMut(usize, MatchOutcome)) {
        let known: Vec<Arc<KnownSecret>> = self.0.read().clone();
        for secret in known {
            let mut start = 0;
            while let Some(byte) = text.get(start) {
                if *byte == b'\\' {
                    let run = text[start..].iter().take_while(|byte| **byte == b'\\');
                    let end = start + run.count();
                    // From further away nothing reaches the end of the run.
                    for position in start.max(end.saturating_sub(secret.reach))..end {
                        secret.match_at(text, position, &mut on_outcome);
                    }
                    start = end;
                } else {
                    secret.match_at(text, start, &mut on_outcome);
                    start += 1;
                }
            }
        }
    }
}

impl fmt::Debug for LiveSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveSecrets({})", self.0.read().len())
    }
}

impl KnownSecret {
    fn new(value: &str) -> Self {
        let base64 = Base64Form::all(value);
        let mut starts = [0; 256];
        let first = [
            escaped_form::first_bytes(value),
            byte_forms::first_bytes(value),
            byte_forms::first_decimal_bytes(value),
        ];
        let first = first
            .into_iter()
            .chain(base64.iter().map(Base64Form::first_bytes));
        for (form, bytes) in first.enumerate() {
            for byte in bytes {
                starts[usize::from(byte)] |= 1 << form;
            }
        }
        Self {
            value: value.to_owned(),
            base64,
            starts,
            reach: escaped_form::longest_run(value),
        }
    }

    /// Compares the text from a position on with the forms that can begin there.
    fn match_at(
        &self,
        text: &[u8],
        start: usize,
        on_outcome: &mut impl FnMut(usize, MatchOutcome),
    ) {
        let forms = self.starts[usize::from(text[start])];
        if forms == 0 {
            return;
        }
        for form in (0..8).filter(|form| forms & (1 << form) != 0) {
            on_outcome(
                start,
                match form {
                    0 => escaped_form::match_at(text, start, &self.value),
                    1 => byte_forms::match_at(text, start, &self.value),
                    2 => byte_forms::match_decimals_at(text, start, &self.value),
                    _ => self.base64[form - 3].match_at(text, start),
                },
            );
        }
    }
}

#[cfg(test)]
mod tests;
