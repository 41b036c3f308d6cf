//! The record of a conversation: content blocks, messages and labels.

mod content;
mod id;
mod label;
mod message;
mod note;
mod origin;
mod shared_content;
mod totals;
mod usage;

pub use content::{ContentBlock, Resource};
pub use id::{AgentId, CallId, CallKey, InvalidCallKey, RawJson, SessionId, ToolName, TurnId};
pub use label::{Grade, Label, Source};
pub use message::{
    ArgumentsDefect, AssistantMessage, Message, MessagePart, ReplySource, ToolCall, ToolCallResult,
};
pub use note::{Note, NoteSource};
pub use origin::{CallAddress, InvalidCallAddress, Origin};
pub use shared_content::Content;
pub use totals::Totals;
pub use usage::{Cost, Usage};
