//! Authorization of the program to a server: OAuth 2.1 as MCP specifies it, on top of rmcp's state machine.
//!
//! rmcp discovers the authorization server, registers the program, and exchanges codes and refresh tokens. This
//! module stores the tokens, renews them ahead of time, leads the user through a login, and prevents secrets from
//! being sent to other servers.

mod browser;
mod callback;
mod client;
mod discovery;
mod error;
mod grant;
mod handshake_tokens;
#[cfg(feature = "jwt")]
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
