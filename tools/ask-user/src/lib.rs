//! The tool of [helve](https://docs.rs/helve) that asks the user: one to four questions with choices or free text.
//! Depend on `helve`, not on this crate.
//!
//! Within a turn, a call of the tool is an external one: its answers come from a form in the terminal, or from another
//! process, days later. An MCP server asks the user of its client.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod answers;
mod form;
mod question;
mod tool;

pub use self::answers::{AnswerStatus, Answers};
pub use self::question::{AskedQuestion, QuestionKind};
pub use self::tool::{AskUserSettings, toolset};
