//! Messages, in a form from which the requests of every provider can be built.

use serde::{Deserialize, Serialize};

use super::{CallId, Content, ContentBlock, Note, RawJson, ToolName};

/// A message of a conversation. The role determines the content.
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
    /// Instructions within a conversation; the first instructions are the request's `system`.
    System {
        /// The blocks.
        content: Vec<ContentBlock>,
    },
    /// A message of the user.
    User {
        /// The blocks.
        content: Vec<ContentBlock>,
    },
    /// A reply of the model.
    Assistant(AssistantMessage),
    /// The results of all the calls of the assistant message before it, in the order of the calls.
    Tool {
        /// The results.
        content: Vec<ToolCallResult>,
    },
    /// A message that is no prompt of the user. It is boxed, since it is larger than the other messages.
    Note(Box<Note>),
}

impl Message {
    /// Creates a user message with one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            content: vec![ContentBlock::text(text)],
        }
    }

    /// Creates a system message with one text block.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System {
            content: vec![ContentBlock::text(text)],
        }
    }
}

impl From<Note> for Message {
    fn from(note: Note) -> Self {
        Self::Note(Box::new(note))
    }
}

/// Creates a user message with one text block.
impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::user(text)
    }
}

/// Creates a user message with one text block.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::user(text)
    }
}

/// A reply of the model: text, thinking and tool calls, in the order in which they were received.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{AssistantMessage, MessagePart, ToolCall};
///
/// let text = MessagePart::Text { text: "Adding.".into() };
/// let call = MessagePart::ToolCall(ToolCall::new("c1", "add", r#"{"a":1,"b":2}"#));
/// let message = AssistantMessage::new(vec![text, call]);
/// assert_eq!(message.text(), "Adding.");
/// assert_eq!(message.calls().count(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The parts.
    pub content: Vec<MessagePart>,
    /// The source of the reply, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<ReplySource>>,
}

/// The source of a reply. Parts that only the provider understands, such as signatures of thinking, are sent back to
/// that provider only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReplySource {
    /// The protocol of the provider, such as `anthropic.messages`, `openai.chat` or `openai.responses`.
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
    /// Creates a source without an id.
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
    /// Creates a message from its parts, without a source.
    #[must_use]
    pub fn new(content: Vec<MessagePart>) -> Self {
        Self {
            content,
            source: None,
        }
    }

    /// Reports whether parts that only the provider understands may be sent to this provider: the message came from
    /// it, or its source is unknown.
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
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::MessagePart;
///
/// let json = serde_json::to_string(&MessagePart::Text { text: "Hello".into() })?;
/// assert_eq!(json, r#"{"type":"text","text":"Hello"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MessagePart {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, which providers expect back unchanged.
    Thinking {
        /// The thinking or its summary; empty if the provider does not return it.
        text: String,
        /// The provider's signature of the thinking: opaque, sent back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A call of a tool.
    ToolCall(ToolCall),
    /// An item that only the provider understands, such as a search that the provider ran: stored and sent back
    /// unchanged.
    ProviderItem {
        /// The protocol of the item, as in [`ReplySource::api`].
        api: String,
        /// The item, exactly as received.
        item: RawJson,
    },
}

/// A call of a tool, as the model made it.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::ToolCall;
///
/// let call = ToolCall::new("c1", "add", r#"{"a":1,"b":2}"#);
/// assert_eq!(&*call.name, "add");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: CallId,
    /// The tool's name, as the model wrote it.
    pub name: ToolName,
    /// The arguments, exactly as the model wrote them; they may be invalid JSON, or empty.
    pub arguments: RawJson,
    /// The defect of the arguments' text, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defect: Option<ArgumentsDefect>,
    /// The provider's signature of the call: opaque, sent back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl ToolCall {
    /// Creates a call with complete arguments.
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

/// The defect of the text of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentsDefect {
    /// The reply ended within the arguments. A repair would have to invent the rest.
    Truncated,
    /// The arguments are complete and are not valid JSON.
    Invalid {
        /// The error of the JSON parser.
        error: String,
    },
}

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallResult {
    /// The provider's id of the call.
    pub call_id: CallId,
    /// The content for the model.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default)]
    pub is_error: bool,
}
