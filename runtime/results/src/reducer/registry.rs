//! Which reducer a tool has.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use super::file::FileReducer;
use super::shell::CommandReducer;
use super::{ReducedText, ReducerContext, ResultReducer};
use helve_core::support::lock::RwLock;
use helve_core::tool::dispatch::panic_message;

/// The reducers of some tools, at most one a tool. Clones share them: what is registered with one is there for all.
#[derive(Clone, Default)]
pub struct Reducers {
    table: Arc<RwLock<ReducerTable>>,
}

type ReducerTable = HashMap<String, Arc<dyn ResultReducer>>;

/// A tool already has a reducer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the results of `{tool}` already have the reducer `{present}`, so `{refused}` cannot be registered: remove one of the \
     two away"
)]
#[non_exhaustive]
pub struct DuplicateReducer {
    /// The tool.
    pub tool: String,
    /// The reducer that it has.
    pub present: String,
    /// The one that was refused.
    pub refused: String,
}

impl Reducers {
    /// Creates a set without any.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a set of those for the tools that come with helve: `bash`, `bash_output` and `read_file`.
    ///
    /// Of test runs they leave the failures and the summary, of installs the summary, warnings and errors, of `git status`
    /// the counts and the first files, of other long outputs the beginning, the end and what looks like an error, of a long
    /// file that was read without a range its beginning.
    #[must_use]
    pub fn built_in() -> Self {
        let commands: Arc<dyn ResultReducer> = Arc::new(CommandReducer);
        let table = ReducerTable::from([
            ("bash".to_owned(), commands.clone()),
            ("bash_output".to_owned(), commands),
            ("read_file".to_owned(), Arc::new(FileReducer)),
        ]);
        Self {
            table: Arc::new(RwLock::new(table)),
        }
    }

    /// Adds a reducer for as long as the guard lives.
    ///
    /// # Errors
    /// The tool has one already.
    pub fn register(
        &self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<ReducerGuard, DuplicateReducer> {
        let tool = tool.into();
        let reducer: Arc<dyn ResultReducer> = Arc::new(reducer);
        let own = Arc::downgrade(&reducer);
        match self.table.write().entry(tool.clone()) {
            Entry::Occupied(present) => {
                return Err(DuplicateReducer {
                    present: present.get().name().to_owned(),
                    refused: reducer.name().to_owned(),
                    tool,
                });
            }
            Entry::Vacant(place) => place.insert(reducer),
        };
        Ok(ReducerGuard {
            registration: Some((self.clone(), tool, own)),
        })
    }

    /// Adds a reducer for good.
    ///
    /// # Errors
    /// The tool has one already.
    pub fn with_reducer(
        self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        self.register(tool, reducer)?.keep();
        Ok(self)
    }

    /// Takes the reducer of a tool away: its results stay as they are, or another one can take the place.
    #[must_use]
    pub fn without(self, tool: &str) -> Self {
        self.table.write().remove(tool);
        self
    }

    /// Returns the tools that have one, sorted.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = self.table.read().keys().cloned().collect();
        tools.sort();
        tools
    }

    /// Makes the text of a successful call shorter; `None` where it stays as it is.
    ///
    /// A reducer that panics, that makes the text longer, or that leaves nothing without saying so, leaves it as it is.
    #[must_use]
    pub fn reduce(&self, call: &ReducerContext<'_>, text: &str) -> Option<ReducedText> {
        let reducer = self.table.read().get(call.tool).cloned()?;
        let reduce = || reducer.reduce(call, text);
        match catch_unwind(AssertUnwindSafe(reduce)) {
            Ok(reduced) => reduced.filter(|reduced| reduced.may_replace(text)),
            Err(panic) => {
                let panic = panic_message(&*panic);
                tracing::warn!(
                    tool = call.tool,
                    panic,
                    "a reducer panicked; the result is not reduced"
                );
                None
            }
        }
    }
}

impl fmt::Debug for Reducers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reducers").field(&self.tools()).finish()
    }
}

/// Takes a reducer away when it is dropped. One that was registered for the same tool later stays.
#[must_use = "the reducer is removed when this guard is dropped; `keep` makes it permanent"]
#[derive(Debug)]
pub struct ReducerGuard {
    registration: Option<(Reducers, String, Weak<dyn ResultReducer>)>,
}

impl ReducerGuard {
    /// Leaves the reducer for good.
    pub fn keep(mut self) {
        self.registration = None;
    }

    /// Takes the reducer away now; a second time does nothing.
    pub fn unregister(&mut self) {
        let Some((reducers, tool, own)) = self.registration.take() else {
            return;
        };
        let is_own = |reducer: &Arc<_>| Weak::ptr_eq(&Arc::downgrade(reducer), &own);
        let mut table = reducers.table.write();
        if table.get(&tool).is_some_and(is_own) {
            table.remove(&tool);
        }
    }
}

impl Drop for ReducerGuard {
    fn drop(&mut self) {
        self.unregister();
    }
}
