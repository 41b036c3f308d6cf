//! What a secret looks like.

use std::sync::Arc;

use regex_lite::Regex;

/// A form of secrets that an app knows of.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(super) label: Arc<str>,
    pub(super) regex: Regex,
}

/// The text is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no regular expression: {problem}")]
pub struct InvalidPattern {
    pattern: String,
    problem: String,
}

impl Pattern {
    /// Makes a pattern of a label and a regular expression.
    ///
    /// # Errors
    /// Where the text is no regular expression.
    pub fn regex(label: impl Into<Arc<str>>, regex: &str) -> Result<Self, InvalidPattern> {
        match Regex::new(regex) {
            Ok(regex) => Ok(Self {
                label: label.into(),
                regex,
            }),
            Err(error) => Err(InvalidPattern {
                pattern: regex.to_owned(),
                problem: error.to_string(),
            }),
        }
    }
}
