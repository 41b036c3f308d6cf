//! The messages of prompts.

use helve_core::transcript::ContentBlock;

/// A message that a prompt adds to the conversation of the client.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Whether the message has the role of the model, and not of the user.
    pub from_model: bool,
    /// The content of the message.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// Creates a text message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::user_block(ContentBlock::text(text))
    }

    /// Creates a message of the user with any content, such as an image or a resource.
    #[must_use]
    pub fn user_block(content: ContentBlock) -> Self {
        Self {
            from_model: false,
            content,
        }
    }

    /// Creates a text message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self {
            from_model: true,
            content: ContentBlock::text(text),
        }
    }
}
