//! The tokens of one attempt to connect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use super::{OAuthError, TokenSource};
use crate::support::lock::Mutex;

/// The tokens of one attempt to connect. Until it is [made](Self::made), a refusal is kept and not answered: a
/// handshake has seconds, and a person who logs in takes minutes.
pub(crate) struct GreetingTokens {
    tokens: Arc<dyn TokenSource>,
    refusal: Mutex<Option<String>>,
    is_made: AtomicBool,
}

impl GreetingTokens {
    pub(crate) fn new(tokens: Arc<dyn TokenSource>) -> Self {
        Self {
            tokens,
            refusal: Mutex::default(),
            is_made: AtomicBool::new(false),
        }
    }

    /// Says that the connection is there: from now on refusals are answered at once.
    pub(crate) fn made(&self) {
        self.is_made.store(true, Ordering::Release);
    }

    /// Answers the refusal of this attempt, if there was one, and says whether another attempt is worth it.
    pub(crate) async fn answer(&self) -> Result<bool, OAuthError> {
        let refusal = self.refusal.lock().take();
        match refusal {
            Some(challenge) => self.tokens.challenged(&challenge).await,
            None => Ok(false),
        }
    }
}

impl TokenSource for GreetingTokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, OAuthError>> {
        self.tokens.token()
    }

    fn challenged<'a>(
        &'a self,
        www_authenticate: &'a str,
    ) -> BoxFuture<'a, Result<bool, OAuthError>> {
        if self.is_made.load(Ordering::Acquire) {
            return self.tokens.challenged(www_authenticate);
        }
        *self.refusal.lock() = Some(www_authenticate.to_owned());
        ready(Ok(false)).boxed()
    }
}
