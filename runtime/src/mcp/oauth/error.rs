//! What can go wrong between a server, its authorization server, and the user.

/// Says why there is no token for a server; written for the user who wants to reach it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// The server wants to know who the user is, and nobody has logged in, or no longer is.
    #[error("{server} asks for a login: run `mcp login {server}`")]
    LoginRequired {
        /// The server's name.
        server: String,
    },
}
