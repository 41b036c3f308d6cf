//! Messages: what a provider is sent, in a shape that every provider's can be made from.

use serde::{Deserialize, Serialize};

use super::{CallId, Content, ContentBlock, RawJson, ToolName};

/// One message of a conversation. The role decides what it can hold.
///
/// ```
/// use helve_runtime::transcript::Message;
///
/// let json = serde_json::to_string(&Message::user("Hello"))?;
/// assert_eq!(json, r#"{"role":"user","content":[{"type":"text","text":"Hello"}]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
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
        content: Vec<ToolResult>,
    },
}

impl Message {
    /// Makes a user message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            content: vec![ContentBlock::text(text)],
        }
    }

    /// Makes a system message of one text.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System {
            content: vec![ContentBlock::text(text)],
        }
    }
}

/// What the model replied: text, thinking and tool calls, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The parts.
    pub content: Vec<Part>,
}

impl AssistantMessage {
    /// Returns the text of all text parts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(|part| {
                if let Part::Text { text } = part {
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
            if let Part::ToolCall(call) = part {
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
#[non_exhaustive]
pub enum Part {
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
        }
    }
}

/// What can be wrong with the text of a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentsDefect {
    /// They break off: the reply ended inside them. Mending them would be inventing the rest.
    Truncated,
    /// They came whole and are no JSON.
    Invalid {
        /// What the JSON parser says about them.
        error: String,
    },
}

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The provider's id of the call.
    pub call_id: CallId,
    /// What the model reads.
    pub content: Content,
    /// Whether the call failed, or never ran.
    #[serde(default)]
    pub is_error: bool,
}
