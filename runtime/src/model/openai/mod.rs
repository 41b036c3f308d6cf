//! The clients of OpenAI's two protocols: Chat Completions, which nearly every provider and local server speaks in a
//! dialect of its own, and Responses.
//!
//! Both write requests and read replies as pure functions; the transport is [`http`](super::http).

mod cache_key;
mod call_id;
mod chat;
mod content;
mod failure;
mod json;
mod models;
mod responses;
mod tool;

pub use call_id::CallIdForm;
pub use chat::{
    ChatDialect, EffortField, MaxTokensField, OpenAiChatModel, OutputField, ThinkingField,
};
pub use responses::{OpenAiResponsesModel, ResponsesDialect};
