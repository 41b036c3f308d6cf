//! Messages: what a provider is sent, in a shape that every provider's can be made from.

use serde::{Deserialize, Serialize};

use super::{CallId, Content, ContentBlock, RawJson, ToolName};

/// One message of a conversation. The role decides what it can hold.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::Message;
///
/// let json = serde_json::to_string(&Message::user("Hello"))?;
/// assert_eq!(json, r#"{"role":"user","content":[{"type":"text","text":"Hello"}]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions in the middle of a conversation; the first ones are the request's `system`.
    System {
        /// The blocks.
        content: Vec<ContentBlock>,
    },
    /// What the user says or shows.
    User {
        /// The blocks.
        content: Vec<ContentBlock>,
    },
    /// What the model replied.
    Assistant(AssistantMessage),
    /// The results of all the calls of the assistant message before it, in the order of the calls.
    Tool {
        /// The results.
        content: Vec<ToolCallResult>,
    },
}

impl Message {
    /// Creates a user message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            content: vec![ContentBlock::text(text)],
        }
    }

    /// Creates a system message of one text.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System {
            content: vec![ContentBlock::text(text)],
        }
    }
}

/// What the model replied: text, thinking and tool calls, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The parts.
    pub content: Vec<MessagePart>,
    /// Which provider it came from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<ReplySource>>,
}

/// Where a reply came from. What only its provider understands, such as proofs of thinking, goes back to that provider
/// alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReplySource {
    /// The protocol that the provider speaks, such as `anthropic.messages`, `openai.chat` or `openai.responses`.
    pub api: String,
    /// The provider, as in OpenTelemetry's `gen_ai.provider.name`.
    pub provider: String,
    /// The model that replied, as the provider names it.
    pub model: String,
    /// The provider's id of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl ReplySource {
    /// Makes one without an id.
    pub fn new(
        api: impl Into<String>,
        provider: impl Into<String>,
        model: impl Into<String>,
    ) -> Self {
        Self {
            api: api.into(),
            provider: provider.into(),
            model: model.into(),
            id: None,
        }
    }

    /// Sets the provider's id of the reply.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Option<String>>) -> Self {
        self.id = id.into();
        self
    }
}

impl AssistantMessage {
    /// Creates a message of its parts, from nowhere in particular.
    #[must_use]
    pub fn new(content: Vec<MessagePart>) -> Self {
        Self {
            content,
            source: None,
        }
    }

    /// Reports whether what only a provider understands may go back to this one: it came from there, or its origin is
    /// unknown.
    #[must_use]
    pub fn is_from(&self, api: &str, provider: &str) -> bool {
        let from_there = |source: &ReplySource| source.api == api && source.provider == provider;
        self.source.as_deref().is_none_or(from_there)
    }

    /// Returns the text of all text parts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(|part| {
                if let MessagePart::Text { text } = part {
                    Some(&**text)
                } else {
                    None
                }
            })
            .collect()
    }

    /// Iterates over the tool calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|part| {
            if let MessagePart::ToolCall(call) = part {
                Some(call)
            } else {
                None
            }
        })
    }
}

/// One part of an assistant message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MessagePart {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, which providers want back unchanged.
    Thinking {
        /// The thinking, or its summary; empty when the provider shows none.
        text: String,
        /// The provider's proof of it: opaque, sent back as it came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A call of a tool.
    ToolCall(ToolCall),
    /// Something that only the provider understands, such as a search that it ran itself: kept as it came, and sent back
    /// there.
    ProviderItem {
        /// The protocol that it belongs to, as in [`ReplySource::api`].
        api: String,
        /// The item, exactly as it came.
        item: RawJson,
    },
}

/// A call of a tool, as the model made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: CallId,
    /// The tool's name, as the model wrote it.
    pub name: ToolName,
    /// The arguments, exactly as the model wrote them: perhaps no JSON, perhaps empty.
    pub arguments: RawJson,
    /// What is wrong with the text of the arguments, if anything is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defect: Option<ArgumentsDefect>,
    /// The provider's proof of the call: opaque, sent back as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl ToolCall {
    /// Makes a call whose arguments are whole.
    pub fn new(
        id: impl Into<CallId>,
        name: impl Into<ToolName>,
        arguments: impl Into<RawJson>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            defect: None,
            signature: None,
        }
    }
}

/// What can be wrong with the text of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentsDefect {
    /// They break off: the reply ended inside them. Repairing them would invent the rest.
    Truncated,
    /// They came whole and are no JSON.
    Invalid {
        /// What the JSON parser says about them.
        error: String,
    },
}

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallResult {
    /// The provider's id of the call.
    pub call_id: CallId,
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default)]
    pub is_error: bool,
}
