//! A secret that was found in a text.

use std::ops::Range;
use std::sync::Arc;

/// A secret that was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSecret {
    /// The kind of secret, for example `github-pat`.
    pub label: Arc<str>,
    /// The position of the secret, in bytes.
    pub range: Range<usize>,
}

impl FoundSecret {
    pub(super) fn new(label: impl Into<Arc<str>>, range: Range<usize>) -> Self {
        let label = label.into();
        Self { label, range }
    }
}
