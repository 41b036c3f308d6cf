//! How the program shows a server who it is: OAuth 2.1 as MCP asks for it, over rmcp's own state machine.

mod error;
mod token_source;

pub use error::OAuthError;
pub(crate) use token_source::TokenSource;
