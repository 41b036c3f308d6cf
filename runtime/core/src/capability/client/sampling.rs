//! Completions of the client's model, as in MCP's `sampling/createMessage`.

use crate::transcript::ContentBlock;

/// A request to the client's model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    pub stop_sequences: Vec<String>,
    /// Names, or parts of names, of suitable models; the client need not follow them.
    pub model_hints: Vec<String>,
    /// The name of the MCP server that sends the request; `None` if the program itself sends it.
    pub requester: Option<String>,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// The author of the message.
    pub role: SamplingRole,
    /// The content of the message.
    pub content: Vec<ContentBlock>,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SamplingRole {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The answer of the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingResult {
    /// The name of the model.
    pub model: String,
    /// The content of the answer.
    pub content: Vec<ContentBlock>,
    /// The reason why the answer ended, as in MCP's `stopReason`: `endTurn`, `stopSequence`, `maxTokens`.
    pub stop_reason: Option<String>,
}

impl SamplingRequest {
    /// Creates a request with one message of the user.
    pub fn from_text(text: impl Into<String>, max_tokens: u32) -> Self {
        Self::new(
            vec![SamplingMessage::new(
                SamplingRole::User,
                vec![ContentBlock::text(text)],
            )],
            max_tokens,
        )
    }

    /// Sets the messages of the conversation.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u32) -> Self {
        Self {
            messages,
            system_prompt: None,
            max_tokens,
            temperature: None,
            stop_sequences: Vec::new(),
            model_hints: Vec::new(),
            requester: None,
        }
    }
}

impl SamplingMessage {
    /// Creates a message.
    #[must_use]
    pub fn new(role: SamplingRole, content: Vec<ContentBlock>) -> Self {
        Self { role, content }
    }
}

impl SamplingResult {
    /// Creates an answer.
    pub fn new(model: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            model: model.into(),
            content,
            stop_reason: None,
        }
    }

    /// Joins the texts of the answer.
    #[must_use]
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect()
    }
}
