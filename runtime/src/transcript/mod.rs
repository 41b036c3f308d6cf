//! The record of a conversation: content blocks and messages. The journal comes to stand beside them.

mod content;

pub use content::{ContentBlock, Resource};
