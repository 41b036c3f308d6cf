//! The clients of OpenAI's two protocols: Chat Completions, which nearly all providers and local servers implement
//! with differences, and Responses.
//!
//! Both encode requests and decode replies with pure functions; the transport is [`http`](super::http).

mod call_id;
mod chat;
mod content;
mod error;
mod fields;
mod json;
mod model_family;
mod responses;

use std::borrow::Cow;

use super::http::Endpoint;

pub use call_id::CallIdForm;
pub use chat::{
    ChatDialect, EffortField, MaxTokensField, OpenAiChatModel, OutputField, ThinkingField,
};
pub use responses::{OpenAiResponsesModel, ResponsesDialect};

/// Returns the path below the base URL, with the version if the base URL is the bare address of a server; Copilot has
/// no version.
fn endpoint_path(endpoint: &Endpoint, path: &'static str) -> Cow<'static, str> {
    let bare = endpoint.base_path().is_empty();
    match bare && !endpoint.host().ends_with("githubcopilot.com") {
        true => format!("v1/{path}").into(),
        false => path.into(),
    }
}

/// Reports whether a host, which may have a port, is a known host or a subdomain of it.
fn is_at(host: &str, known: &str) -> bool {
    let before = host
        .split(':')
        .next()
        .and_then(|host| host.strip_suffix(known));
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Implements the methods that both clients share.
macro_rules! openai_client {
    ($client:ty, $dialect:ty, $decoder:ty, $path:literal) => {
        impl $client {
            /// Sets the differences of the provider, if the default for the provider is wrong or incomplete.
            #[must_use]
            pub fn dialect(mut self, dialect: $dialect) -> Self {
                self.dialect = dialect;
                self
            }

            /// Sets the key by which the provider finds the cache of a conversation, if the dialect supports it. The
            /// default is derived from the instructions, the tools and the first message.
            #[must_use]
            pub fn prompt_cache_key(mut self, key: impl Into<std::sync::Arc<str>>) -> Self {
                self.prompt_cache_key = Some(key.into());
                self
            }

            /// Sets whether the model may call several tools at once. By default the provider decides.
            #[must_use]
            pub fn parallel_tool_calls(mut self, parallel: bool) -> Self {
                self.parallel_tool_calls = Some(parallel);
                self
            }

            fn path(&self) -> std::borrow::Cow<'static, str> {
                $crate::openai::endpoint_path(&self.endpoint, $path)
            }
        }

        $crate::api::native_client!($client, $decoder);
    };
}
use openai_client;
