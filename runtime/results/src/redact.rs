//! Redaction of secrets in texts that the model reads or that are stored.

mod assignment;
mod forms;
mod found_secret;
mod learned;
mod pattern;
mod personal;
mod scan;
mod stream;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

pub use self::found_secret::FoundSecret;
pub use self::learned::mask_process_secrets;
use self::learned::{LearnedSecrets, LearningBackend};
pub use self::pattern::{InvalidPattern, Pattern};
pub use self::stream::RedactedStream;
use helve_core::capability::{Secret, SecretsBackend};

/// The maximum number of further passes over a text in which something was redacted.
const MAX_PASSES: usize = 8;

/// Finds secrets in text and replaces them by `[REDACTED:label]`.
///
/// A redactor recognizes keys and tokens of many providers by their form (`ghp_…`, `sk-ant-…`, `AKIA…`, JSON web
/// tokens, private keys), passwords in URLs, and values by their names (`password=…`, `"api_key": "…"`). An app can add
/// [patterns](Pattern) and let the redactor [learn](Self::learn) secrets by their value. Personal data is redacted only
/// [on request](Self::personal_data). No redactor finds everything: a tool should not have access to a secret that it
/// must not return.
///
/// Cloning a redactor is cheap, and clones share the learned secrets. Redacting a text twice has the same result as
/// redacting it once.
///
/// ```
/// use helve::results::Redactor;
///
/// let redactor = Redactor::new();
/// assert_eq!(
///     redactor.redact("git clone https://me:hunter2@example.org/x"),
///     "git clone https://me:[REDACTED:url-password]@example.org/x"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Redactor {
    inner: Option<Arc<RedactorInner>>,
}

#[derive(Debug, Clone, Default)]
struct RedactorInner {
    patterns: Arc<[Pattern]>,
    learned: LearnedSecrets,
    redacts_personal_data: bool,
}

impl RedactorInner {
    /// Reports whether no secret but a learned one can contain white space beyond that in the built-in forms: there are
    /// no patterns of the app and no telephone numbers.
    fn secrets_are_words(&self) -> bool {
        self.patterns.is_empty() && !self.redacts_personal_data
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// Creates a redactor that recognizes the common secrets.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inner: Some(Arc::default()),
        }
    }

    /// Creates a redactor that leaves all text unchanged.
    #[must_use]
    pub fn off() -> Self {
        Self { inner: None }
    }

    /// Adds a pattern of the app.
    #[must_use]
    pub fn pattern(mut self, pattern: Pattern) -> Self {
        if let Some(inner) = &mut self.inner {
            let inner = Arc::make_mut(inner);
            let patterns = inner.patterns.iter().cloned().chain([pattern]);
            inner.patterns = patterns.collect();
        }
        self
    }

    /// Also redacts personal data: e-mail addresses, telephone and card numbers, and US social security numbers.
    #[must_use]
    pub fn personal_data(mut self) -> Self {
        if let Some(inner) = &mut self.inner {
            Arc::make_mut(inner).redacts_personal_data = true;
        }
        self
    }

    /// Redacts a secret wherever it occurs, whatever its form, in all texts that any clone redacts from now on.
    pub fn learn(&self, secret: &Secret) {
        if let Some(inner) = &self.inner {
            inner.learned.add(secret);
        }
    }

    /// Wraps a secrets backend, so that each secret that a tool receives is redacted from then on.
    #[must_use]
    pub fn watch(&self, backend: Arc<dyn SecretsBackend>) -> Arc<dyn SecretsBackend> {
        match &self.inner {
            Some(inner) => Arc::new(LearningBackend {
                backend,
                learned: inner.learned.clone(),
            }),
            None => backend,
        }
    }

    /// Finds all secrets, in the order of their starts. Matches may overlap.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<FoundSecret> {
        let Some(inner) = &self.inner else {
            return Vec::new();
        };
        let own = inner.patterns.iter().flat_map(|pattern| pattern.find(text));
        let mut found: Vec<FoundSecret> = own.collect();
        inner.learned.find(text, &mut found);
        scan::find_secrets(text, &mut found);
        if inner.redacts_personal_data {
            scan::find_personal_data(text, &mut found);
        }
        // Of two matches with the same start, the longer one comes first; otherwise the sort keeps the order above.
        found.sort_by_key(|found| (found.range.start, usize::MAX - found.range.end));
        found
    }

    /// Redacts a text, without copying it if there is nothing to redact.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some((mut redacted, mut is_joined)) = self.redact_once(text) else {
            return text.into();
        };
        // Text directly after a redacted secret may be a secret that is recognized only now.
        for _ in 0..MAX_PASSES {
            if !is_joined {
                break;
            }
            match self.redact_once(&redacted) {
                Some((more, joined)) => (redacted, is_joined) = (more, joined),
                None => break,
            }
        }
        redacted.into()
    }

    /// Redacts the matches, if there are any. Also returns whether a character other than a delimiter follows a match
    /// directly.
    fn redact_once(&self, text: &str) -> Option<(String, bool)> {
        let found = self.find(text);
        if found.is_empty() {
            return None;
        }
        let mut redacted = String::with_capacity(text.len());
        let (mut from, mut is_joined) = (0, false);
        for (label, range) in merge_overlaps(found) {
            redacted.push_str(&text[from..range.start]);
            redacted.push_str("[REDACTED:");
            redacted.push_str(&label);
            redacted.push(']');
            from = range.end;
            let next = text.as_bytes().get(from);
            is_joined |= next.is_some_and(|next| !b" \n\r\t\"'`,;)}@".contains(next));
        }
        redacted.push_str(&text[from..]);
        Some((redacted, is_joined))
    }

    /// Redacts all strings of a JSON value, including the names of fields, and the values that the name of their field
    /// marks as secrets.
    pub fn redact_json(&self, value: &mut Value) {
        if self.inner.is_none() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.redact(text) {
                    *text = redacted;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(fields) => {
                for (name, field) in std::mem::take(fields) {
                    let (name, field) = self.redact_field(name, field);
                    fields.insert(name, field);
                }
            }
            _ => {}
        }
    }

    fn redact_field(&self, name: String, mut field: Value) -> (String, Value) {
        match &mut field {
            Value::String(text) if assignment::is_secret(&name, text) => {
                *text = "[REDACTED:generic-secret]".to_owned();
            }
            other => self.redact_json(other),
        }
        let name = match self.redact(&name) {
            Cow::Owned(redacted) => redacted,
            Cow::Borrowed(_) => name,
        };
        (name, field)
    }

    /// Redacts a JSON text, which remains valid JSON. The text is parsed only if there is something to redact.
    #[must_use]
    pub fn redact_json_text<'t>(&self, json: &'t str) -> Cow<'t, str> {
        let Cow::Owned(redacted) = self.redact(json) else {
            return json.into();
        };
        let Ok(mut value) = serde_json::from_str::<Value>(json) else {
            return redacted.into();
        };
        self.redact_json(&mut value);
        value.to_string().into()
    }

    /// Creates a stream that redacts a text in pieces.
    #[must_use]
    pub fn stream(&self) -> RedactedStream {
        RedactedStream::new(self.clone())
    }
}

/// Merges overlapping matches. The first label applies to the whole, unless it is the generic one.
fn merge_overlaps(found: Vec<FoundSecret>) -> Vec<(Arc<str>, Range<usize>)> {
    let mut merged: Vec<(Arc<str>, Range<usize>)> = Vec::with_capacity(found.len());
    for FoundSecret { label, range } in found {
        match merged.last_mut() {
            Some((first, last)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                if &**first == "generic-secret" {
                    *first = label;
                }
            }
            _ => merged.push((label, range)),
        }
    }
    merged
}

#[cfg(test)]
mod tests;
