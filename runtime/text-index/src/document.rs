//! What is put into an index, what is asked, and what is found.

use crate::error::TextIndexError;
use crate::snippet::Snippet;

/// The length of the longest key, scope, kind and name of a source, in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 1024;

/// The length of the longest stamp, in bytes.
pub(crate) const MAX_STAMP_BYTES: usize = 16 << 10;

/// A document to index.
///
/// The title and the text are searched. The other parts are found with them: the key identifies the document in its
/// collection; searches can be limited to scopes, kinds and times; all documents of a source can be removed at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// The key of the document in its collection.
    pub key: String,
    /// What the document was read from, or nothing.
    pub source: String,
    /// The scope of the document, or nothing.
    pub scope: String,
    /// The kind of the document, or nothing.
    pub kind: String,
    /// The time of the document, in milliseconds since the start of 1970.
    pub time: i64,
    /// The title.
    pub title: String,
    /// The text.
    pub text: String,
    /// Data that is returned with the document and is not searched.
    pub data: String,
}

impl Document {
    /// The size of the largest text and of the largest data: 256 KiB.
    pub const MAX_TEXT_BYTES: usize = 256 << 10;

    /// Creates a document.
    pub fn new(key: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            title: title.into(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets what the document was read from.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = source.into();
        self
    }

    /// Sets the scope.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = scope.into();
        self
    }

    /// Sets the kind.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Sets the time, in milliseconds since the start of 1970.
    #[must_use]
    pub fn time(mut self, millis: i64) -> Self {
        self.time = millis;
        self
    }

    /// Sets the data.
    #[must_use]
    pub fn data(mut self, data: impl Into<String>) -> Self {
        self.data = data.into();
        self
    }

    pub(crate) fn check(&self) -> Result<(), TextIndexError> {
        let parts = [
            ("key", &self.key, 1, MAX_KEY_BYTES),
            ("source", &self.source, 0, MAX_KEY_BYTES),
            ("scope", &self.scope, 0, MAX_KEY_BYTES),
            ("kind", &self.kind, 0, MAX_KEY_BYTES),
            ("title", &self.title, 0, 4 * MAX_KEY_BYTES),
            ("text", &self.text, 0, Self::MAX_TEXT_BYTES),
            ("data", &self.data, 0, Self::MAX_TEXT_BYTES),
        ];
        for (part, value, least, limit) in parts {
            let size = value.len();
            if size < least || size > limit {
                return Err(TextIndexError::Length { part, size, limit });
            }
        }
        Ok(())
    }
}

/// What to search for.
///
/// A question consists of words and of phrases in quotation marks. Nothing else in it is syntax. A document is found if it
/// has all phrases, and one of the words at least.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextQuery {
    /// The question.
    pub text: String,
    /// The most documents to find.
    pub limit: usize,
    /// The scopes to search; all if there are none.
    pub scopes: Vec<String>,
    /// The kinds to search; all if there are none.
    pub kinds: Vec<String>,
    /// What the scopes to search begin with; all if there is nothing.
    pub scope_prefix: Option<String>,
    /// What the scopes to search end with; all if there is nothing.
    pub scope_suffix: Option<String>,
    /// The source to search; all if there is none.
    pub source: Option<String>,
    /// A source that is not searched.
    pub excluded_source: Option<String>,
    /// The earliest time, in milliseconds since the start of 1970.
    pub since: Option<i64>,
    /// The time before which documents are found, in milliseconds since the start of 1970.
    pub before: Option<i64>,
}

impl TextQuery {
    /// The most documents that a search finds.
    pub const MAX_LIMIT: usize = 1_000;

    /// Creates a query for at most `limit` documents.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            limit,
            ..Self::default()
        }
    }

    /// Adds a scope to search.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Adds a kind to search.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kinds.push(kind.into());
        self
    }

    /// Sets the source to search.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets what the scopes to search begin with.
    #[must_use]
    pub fn scope_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.scope_prefix = Some(prefix.into());
        self
    }

    /// Sets what the scopes to search end with.
    #[must_use]
    pub fn scope_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.scope_suffix = Some(suffix.into());
        self
    }

    /// Sets a source that is not searched.
    #[must_use]
    pub fn excluded_source(mut self, source: impl Into<String>) -> Self {
        self.excluded_source = Some(source.into());
        self
    }

    /// Sets the earliest time, in milliseconds since the start of 1970.
    #[must_use]
    pub fn since(mut self, millis: i64) -> Self {
        self.since = Some(millis);
        self
    }

    /// Sets the time before which documents are found, in milliseconds since the start of 1970.
    #[must_use]
    pub fn before(mut self, millis: i64) -> Self {
        self.before = Some(millis);
        self
    }
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TextHit {
    /// The document.
    pub document: Document,
    /// The score, which is greater for better matches and only comparable within one search.
    pub score: f64,
    /// The part of the text that has what was asked for.
    pub snippet: Snippet,
}

/// How far a source has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourcePosition {
    /// The name of the source.
    pub source: String,
    /// The position, such as an offset in a file.
    pub position: u64,
    /// What was stored about the state of the source, such as a digest of its content, or nothing.
    pub stamp: String,
}
