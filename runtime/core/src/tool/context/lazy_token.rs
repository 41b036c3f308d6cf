//! A cancellation token that is created at its first use.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// A token that is created at its first use; clones share it.
///
/// Most calls end before a caller waits for their cancellation, and a token costs a lock per clone and an entry in the
/// list of its parent.
#[derive(Clone, Default)]
pub struct LazyToken(Arc<LazyTokenInner>);

#[derive(Default)]
struct LazyTokenInner {
    token: OnceLock<CancellationToken>,
    /// The token whose cancellation cancels this one, too.
    parent: Option<LazyToken>,
}

impl LazyToken {
    /// Creates a token that is cancelled with this one, and can be cancelled separately.
    pub fn child(&self) -> Self {
        Self(Arc::new(LazyTokenInner {
            token: OnceLock::new(),
            parent: Some(self.clone()),
        }))
    }

    /// Returns the token itself.
    pub fn token(&self) -> &CancellationToken {
        let LazyTokenInner { token, parent } = &*self.0;
        token.get_or_init(|| match parent {
            Some(parent) => parent.token().child_token(),
            None => CancellationToken::new(),
        })
    }

    /// Waits until the token is cancelled. The token is created when this future is first polled.
    pub async fn cancelled(&self) {
        self.token().cancelled().await;
    }

    /// Reports whether the token is cancelled. A token that was never created can only have been cancelled with its
    /// parent.
    pub fn is_cancelled(&self) -> bool {
        match (self.0.token.get(), &self.0.parent) {
            (Some(token), _) => token.is_cancelled(),
            (None, Some(parent)) => parent.is_cancelled(),
            (None, None) => false,
        }
    }
}

impl From<CancellationToken> for LazyToken {
    fn from(token: CancellationToken) -> Self {
        Self(Arc::new(LazyTokenInner {
            token: token.into(),
            parent: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_child_is_cancelled_with_its_parent_and_not_the_other_way() {
        let parent = LazyToken::default();
        let (made, unmade, stopped) = (parent.child(), parent.child(), parent.child());
        assert!(!made.token().is_cancelled());
        let waited = parent.child();
        assert!(waited.cancelled().now_or_never().is_none());
        stopped.token().cancel();
        assert!(stopped.is_cancelled() && !parent.is_cancelled() && !unmade.is_cancelled());
        parent.token().cancel();
        for child in [&made, &unmade, &unmade.child(), &waited] {
            assert!(child.is_cancelled());
            assert!(child.token().is_cancelled());
            assert!(child.cancelled().now_or_never().is_some());
        }
    }
}
