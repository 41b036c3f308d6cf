//! What the scanners of the redactor find.

use std::ops::Range;
use std::sync::Arc;

/// A match of a built-in scanner, before overlapping matches are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) label: &'static str,
    pub(super) range: Range<usize>,
}

impl Hit {
    pub(super) fn new(label: &'static str, range: Range<usize>) -> Self {
        Self { label, range }
    }
}

/// A secret that was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSecret {
    /// The kind of secret, for example `github-pat`.
    pub label: Arc<str>,
    /// The position of the secret, in bytes.
    pub range: Range<usize>,
}
