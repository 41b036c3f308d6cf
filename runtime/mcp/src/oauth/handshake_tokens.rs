//! The access tokens during one attempt to connect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use super::{OAuthError, TokenSource};
use helve_core::support::lock::Mutex;

/// The access tokens during one attempt to connect.
///
/// A challenge during the handshake is stored and answered after the attempt, because a handshake times out after seconds
/// and a login of the user takes minutes. After [`complete`](Self::complete) challenges are answered at once.
pub(crate) struct HandshakeTokens {
    tokens: Arc<dyn TokenSource>,
    challenge: Mutex<Option<String>>,
    is_complete: AtomicBool,
}

impl HandshakeTokens {
    pub(crate) fn new(tokens: Arc<dyn TokenSource>) -> Self {
        Self {
            tokens,
            challenge: Mutex::default(),
            is_complete: AtomicBool::new(false),
        }
    }

    pub(crate) fn complete(&self) {
        self.is_complete.store(true, Ordering::Release);
    }

    /// Answers the stored challenge, if there is one, and returns whether another attempt may succeed.
    pub(crate) async fn answer_challenge(&self) -> Result<bool, OAuthError> {
        let challenge = self.challenge.lock().take();
        match challenge {
            Some(challenge) => self.tokens.challenged(&challenge).await,
            None => Ok(false),
        }
    }
}

impl TokenSource for HandshakeTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, OAuthError>> {
        self.tokens.token()
    }

    fn challenged<'a>(
        &'a self,
        www_authenticate: &'a str,
    ) -> BoxFuture<'a, Result<bool, OAuthError>> {
        if self.is_complete.load(Ordering::Acquire) {
            return self.tokens.challenged(www_authenticate);
        }
        *self.challenge.lock() = Some(www_authenticate.to_owned());
        ready(Ok(false)).boxed()
    }
}
