//! Reference-counted content.

use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContentBlock;

/// The content of a tool result: a shared list of blocks.
///
/// A result goes to the journal, to the turn, to the next request and to every reader of events, so a clone must
/// not copy it.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::Content;
///
/// let content = Content::text("12 °C, rain");
/// assert_eq!(content[0].as_text(), Some("12 °C, rain"));
/// ```
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(transparent)]
pub struct Content(Arc<[ContentBlock]>);

impl Content {
    /// Creates content with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Arc::new([ContentBlock::text(text)]))
    }
}

impl Default for Content {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl Deref for Content {
    type Target = [ContentBlock];

    fn deref(&self) -> &[ContentBlock] {
        &self.0
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self(blocks.into())
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::deserialize(from).map(Self::from)
    }
}
