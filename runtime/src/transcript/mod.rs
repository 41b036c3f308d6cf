//! The record of a conversation: content blocks and messages. The journal comes to stand beside them.

mod content;
mod id;
mod message;
mod origin;
mod sanitize;
mod shared;
mod usage;

pub use content::{ContentBlock, Resource};
pub use id::{AgentId, CallId, CallKey, InvalidCallKey, RawJson, SessionId, ToolName, TurnId};
pub use message::{ArgumentsDefect, AssistantMessage, Message, Part, ToolCall, ToolResult};
pub use origin::{CallAddress, InvalidCallAddress, Origin};
pub use sanitize::sanitize;
pub use shared::Content;
pub use usage::{Cost, Usage};
