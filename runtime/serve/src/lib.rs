//! An MCP server of an app's tools and skills, for any client and under the permission policy of the app.
//!
//! A [`Server`] is independent of its transport: [`Server::serve_io`] serves a pair of streams, [`Server::serve_stdio`]
//! standard input and output, and [`Server::serve_http`] HTTP. Each connection has its own session. Requests without a
//! connection, in the protocol from 2026-07-28, share the session of their principal.
//!
//! The client answers the requests that a tool makes through [`cx.client()`](helve_core::tool::ToolContext::client). In the
//! older protocols the server sends them as requests of its own. From 2026-07-28 on the call is suspended: its future
//! stays in the process until another request of the client brings the input.
//!
//! The modules form layers. `settings`, `limits` and `client` are the lowest; `session` uses them, and `call` runs
//! one call in a session. `suspended` and `tasks` store calls. `state` contains the whole state, `dispatch` drives
//! calls for requests, and `handler` receives the requests.

mod builder;
mod call;
mod call_tool;
mod changes;
mod client;
mod completion;
mod dispatch;
mod error;
mod handler;
mod http;
mod interactive;
mod limits;
mod page;
mod progress;
mod prompts;
mod resources;
mod response;
mod revisions;
mod server;
mod server_info;
mod session;
mod settings;
mod shared_sessions;
#[cfg(feature = "skills")]
mod skills;
mod state;
mod stdio;
mod suspended;
mod tasks;
mod tool_list;

pub use builder::ServerBuilder;
pub use error::ServeError;
pub use http::{HttpError, HttpSettings, NameError, Tokens, TokensError};
pub use prompts::{Prompt, PromptArgument, PromptArguments, PromptMessage, Prompts};
pub use resources::{ListedResource, ResourceChange, ResourceSource, ResourceTemplate};
pub use server::Server;
pub use stdio::StdioError;
pub use tasks::TaskPolicy;
