//! The interface between a transport and the tokens of its server.

use futures_util::future::BoxFuture;

use super::OAuthError;

/// The source of a server's access tokens for a transport, which reports rejected tokens.
///
/// A source belongs to one server: its tokens are never sent to another address.
pub(crate) trait TokenSource: Send + Sync {
    /// Returns the token for the next request, renewed if it is about to expire; `None` without a login.
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, OAuthError>>;

    /// Handles a refusal (401, or 403 for a missing scope) with its `WWW-Authenticate` header, which may be empty.
    /// Returns whether the request should be sent once more.
    fn challenged<'a>(
        &'a self,
        www_authenticate: &'a str,
    ) -> BoxFuture<'a, Result<bool, OAuthError>>;
}
