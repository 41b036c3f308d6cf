//! The record of a conversation: content blocks and messages. The journal comes to stand beside them.

mod content;
mod id;
mod usage;

pub use content::{ContentBlock, Resource};
pub use id::{AgentId, CallId, SessionId, TurnId};
pub use usage::Cost;
