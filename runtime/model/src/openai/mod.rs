//! The clients of OpenAI's two protocols: Chat Completions, which nearly every provider and local server speaks in a
//! dialect of its own, and Responses.
//!
//! Both write requests and read replies as pure functions; the transport is [`http`](super::http).

mod cache_key;
mod call_id;
mod chat;
mod content;
mod error;
mod json;
mod model_family;
mod responses;
mod tool;

use std::borrow::Cow;

use super::http::Endpoint;

pub use call_id::CallIdForm;
pub use chat::{
    ChatDialect, EffortField, MaxTokensField, OpenAiChatModel, OutputField, ThinkingField,
};
pub use responses::{OpenAiResponsesModel, ResponsesDialect};

/// Returns the path below the base URL. A server's bare address lacks the version; Copilot's has none.
fn endpoint_path<'p>(endpoint: &Endpoint, path: &'p str) -> Cow<'p, str> {
    let bare = endpoint.base_path().is_empty();
    match bare && !endpoint.host().ends_with("githubcopilot.com") {
        true => format!("v1/{path}").into(),
        false => path.into(),
    }
}
