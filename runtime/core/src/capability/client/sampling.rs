//! What the client's model is asked to write, as in MCP's `sampling/createMessage`.

use crate::transcript::ContentBlock;

/// A request to the client's model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The system prompt.
    pub system_prompt: Option<String>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// How freely it chooses its words.
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    pub stop_sequences: Vec<String>,
    /// Names of models that would do, or parts of them; the client need not follow.
    pub model_hints: Vec<String>,
    /// Who asks, where that is not the program itself: the name of an MCP server.
    pub requester: Option<String>,
}

/// One message of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Whose it is.
    pub role: SamplingRole,
    /// What it says.
    pub content: Vec<ContentBlock>,
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SamplingRole {
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// What the model wrote.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SamplingResult {
    /// Which model it was.
    pub model: String,
    /// What it says.
    pub content: Vec<ContentBlock>,
    /// Why it ended, as in MCP's `stopReason`: `endTurn`, `stopSequence`, `maxTokens`.
    pub stop_reason: Option<String>,
}

impl SamplingRequest {
    /// Asks one question.
    pub fn from_text(text: impl Into<String>, max_tokens: u32) -> Self {
        Self::new(
            vec![SamplingMessage::new(
                SamplingRole::User,
                vec![ContentBlock::text(text)],
            )],
            max_tokens,
        )
    }

    /// Hands on a conversation.
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

    /// Joins its texts.
    #[must_use]
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect()
    }
}
