//! The seam between a transport and whatever knows its tokens.

use futures_util::future::BoxFuture;

use super::OAuthError;

/// The source of a server's token for a transport, which reports back when the server refuses the token.
///
/// One source belongs to one server: a token is never asked for on behalf of another address.
pub(crate) trait TokenSource: Send + Sync {
    /// Returns the token to send with the next request, refreshed where it is about to expire, or none without a login.
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, OAuthError>>;

    /// Answers a refusal (401, or 403 for want of a scope) whose `WWW-Authenticate` header is given, empty where there
    /// was none, and says whether the same request is worth trying once more.
    fn challenged<'a>(
        &'a self,
        www_authenticate: &'a str,
    ) -> BoxFuture<'a, Result<bool, OAuthError>>;
}
