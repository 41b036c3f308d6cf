//! A sandbox that is opened when the first command needs it.

use std::fmt;
use std::sync::{Arc, LazyLock};

use futures_util::future::{BoxFuture, ready};
use tokio::sync::OnceCell;

use super::{Sandbox, SandboxError, SearchPath};

type OpenFn =
    Box<dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Sandbox>, SandboxError>> + Send + Sync>;

type FindSearchPath = Box<dyn FnOnce() -> Option<SearchPath> + Send>;

/// A sandbox that is opened at its first use, and shared by all users.
pub struct LazySandbox {
    open: OpenFn,
    opened: OnceCell<Arc<dyn Sandbox>>,
    /// The search path of the sandbox's commands, if it is known before the sandbox is open.
    search_path: LazyLock<Option<SearchPath>, FindSearchPath>,
}

impl LazySandbox {
    /// Creates a lazy sandbox from the function that opens it. A failed open is repeated at the next use.
    pub fn new<F>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Arc<dyn Sandbox>, SandboxError>> + Send + 'static,
    {
        Self {
            open: Box::new(move || Box::pin(open())),
            opened: OnceCell::new(),
            search_path: LazyLock::new(Box::new(|| None)),
        }
    }

    /// Sets the search path of the sandbox's commands, so that command lines can be judged before the sandbox is open.
    #[must_use]
    pub fn with_search_path(
        mut self,
        find: impl FnOnce() -> Option<SearchPath> + Send + 'static,
    ) -> Self {
        self.search_path = LazyLock::new(Box::new(find));
        self
    }

    /// Returns the search path of the commands: that of the open sandbox, or else the one that is known in advance.
    pub fn search_path(&self) -> SearchPathState<'_> {
        let known = match self.peek() {
            Some(sandbox) => sandbox.search_path().ok_or(SearchPathState::Unknown),
            None => self.search_path.as_ref().ok_or(SearchPathState::NotYet),
        };
        known.map_or_else(|unknown| unknown, SearchPathState::Known)
    }

    /// Creates a lazy sandbox from one that is already open.
    pub fn from_opened(sandbox: Arc<dyn Sandbox>) -> Self {
        let again = Arc::clone(&sandbox);
        Self {
            opened: OnceCell::new_with(Some(sandbox)),
            ..Self::new(move || ready(Ok(Arc::clone(&again))))
        }
    }

    /// Returns the sandbox, and opens it on the first call.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be opened.
    pub async fn get(&self) -> Result<&Arc<dyn Sandbox>, SandboxError> {
        self.opened.get_or_try_init(|| (self.open)()).await
    }

    /// Returns the sandbox if it is open.
    #[must_use]
    pub fn peek(&self) -> Option<&Arc<dyn Sandbox>> {
        self.opened.get()
    }
}

/// What is known about the search path of a sandbox's commands.
pub enum SearchPathState<'a> {
    /// The search path is known.
    Known(&'a SearchPath),
    /// The search path is unknown until the sandbox is open.
    NotYet,
    /// The search path is unknown: the sandbox does not provide it.
    Unknown,
}

impl fmt::Debug for LazySandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazySandbox")
            .field("opened", &self.opened.get())
            .finish_non_exhaustive()
    }
}
