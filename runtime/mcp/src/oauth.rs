//! How the program shows a server who it is: OAuth 2.1 as MCP asks for it, over rmcp's own state machine.
//!
//! rmcp finds the authorization server, registers the program, and exchanges codes and refresh tokens. What is here is
//! the rest: where tokens are kept, when they are renewed, how the user is led through a login, and what is never sent
//! anywhere.

mod browser;
mod callback;
mod client;
mod discovery;
mod error;
mod grant;
mod handshake_tokens;
mod key;
mod logins;
mod record;
mod source;
mod store;
mod target;
mod token_source;

pub use browser::LoginRequest;
pub use error::{Cause, OAuthError};
pub(crate) use handshake_tokens::HandshakeTokens;
pub use logins::{LoggedIn, Logins};
pub(crate) use target::is_loopback;
pub(crate) use token_source::TokenSource;
