//! A message of a prompt.

use crate::transcript::ContentBlock;

/// A message that a prompt puts into the conversation of the client.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Whether the model is made to have said it.
    pub from_model: bool,
    /// What it says.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// Makes a text of the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::user_block(ContentBlock::text(text))
    }

    /// Makes a message of the person: an image, a resource.
    #[must_use]
    pub fn user_block(content: ContentBlock) -> Self {
        Self {
            from_model: false,
            content,
        }
    }

    /// Makes a text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self {
            from_model: true,
            content: ContentBlock::text(text),
        }
    }
}
