//! Patterns: forms of secrets that an app adds.

use std::sync::Arc;

use regex_lite::Regex;

use super::found_secret::FoundSecret;

/// A form of secrets that an app adds.
///
/// ```
/// use helve::results::Redactor;
/// use helve::results::redact::Pattern;
///
/// let redactor = Redactor::new().pattern(Pattern::regex("customer", r"CUST-\d+-[A-Z]+")?);
/// assert_eq!(redactor.redact("for CUST-12345-XY"), "for [REDACTED:customer]");
/// # Ok::<(), helve::results::redact::InvalidPattern>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    label: Arc<str>,
    regex: Regex,
}

/// The text is not a valid regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid regular expression `{pattern}`: {problem}")]
pub struct InvalidPattern {
    pattern: String,
    problem: String,
}

impl Pattern {
    /// Creates a pattern from a label and a regular expression.
    ///
    /// # Errors
    /// The text is not a valid regular expression.
    pub fn regex(label: impl Into<Arc<str>>, regex: &str) -> Result<Self, InvalidPattern> {
        let compiled = Regex::new(regex).map_err(|error| InvalidPattern {
            pattern: regex.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(Self {
            label: label.into(),
            regex: compiled,
        })
    }

    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = FoundSecret> + 't {
        let found = self.regex.find_iter(text).filter(|found| !found.is_empty());
        found.map(|found| FoundSecret::new(self.label.clone(), found.range()))
    }
}
