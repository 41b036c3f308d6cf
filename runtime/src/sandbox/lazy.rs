//! A sandbox that nobody pays for before a command needs it.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::OnceCell;

use super::{Sandbox, SandboxError};

type Open =
    Box<dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Sandbox>, SandboxError>> + Send + Sync>;

/// A sandbox that is opened by the first who needs it, and shared by all who follow.
pub struct LazySandbox {
    open: Open,
    opened: OnceCell<Arc<dyn Sandbox>>,
}

impl LazySandbox {
    /// Says how the sandbox is opened. It is tried again at the next use where it failed.
    pub fn new<F>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Arc<dyn Sandbox>, SandboxError>> + Send + 'static,
    {
        Self {
            open: Box::new(move || Box::pin(open())),
            opened: OnceCell::new(),
        }
    }

    /// Holds a sandbox that is open already.
    pub fn opened(sandbox: Arc<dyn Sandbox>) -> Self {
        let again = Arc::clone(&sandbox);
        Self {
            open: Box::new(move || {
                let sandbox = Arc::clone(&again);
                Box::pin(async move { Ok(sandbox) })
            }),
            opened: OnceCell::new_with(Some(sandbox)),
        }
    }

    /// Gives the sandbox, and opens it first where nobody did.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn get(&self) -> Result<&Arc<dyn Sandbox>, SandboxError> {
        self.opened.get_or_try_init(|| (self.open)()).await
    }

    /// Gives the sandbox if it is open.
    #[must_use]
    pub fn peek(&self) -> Option<&Arc<dyn Sandbox>> {
        self.opened.get()
    }
}

impl fmt::Debug for LazySandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazySandbox")
            .field("opened", &self.opened.get())
            .finish_non_exhaustive()
    }
}
