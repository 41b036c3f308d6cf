//! The registry of reducers by tool.

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

/// The reducers of tools, at most one for each tool. Clones share the registry: a reducer that is registered with one
/// clone is available in all.
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
    /// The existing reducer of the tool.
    pub present: String,
    /// The reducer that was rejected.
    pub refused: String,
}

impl Reducers {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a registry with the reducers for the tools that come with helve: `bash`, `bash_output` and `read_file`.
    ///
    /// The reducers keep: of test runs, the failures and the summary; of installs, the summary, warnings and errors; of
    /// `git status`, the counts and the first files; of other long outputs, the beginning, the end and lines that look
    /// like errors; of a long file that was read without a range, its beginning.
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

    /// Registers a reducer until the guard is dropped.
    ///
    /// # Errors
    /// The tool already has a reducer.
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

    /// Registers a reducer permanently.
    ///
    /// # Errors
    /// The tool already has a reducer.
    pub fn with_reducer(
        self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        self.register(tool, reducer)?.keep();
        Ok(self)
    }

    /// Removes the reducer of a tool: its results are left unchanged, or another reducer can be registered.
    #[must_use]
    pub fn without(self, tool: &str) -> Self {
        self.table.write().remove(tool);
        self
    }

    /// Returns the names of the tools that have a reducer, sorted.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = self.table.read().keys().cloned().collect();
        tools.sort();
        tools
    }

    /// Shortens the text of a successful call; `None` if the text is left unchanged.
    ///
    /// The text is also left unchanged if the reducer panics, makes it longer, or returns an empty text without
    /// [`ReducedText::empty`].
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

/// Removes a reducer when it is dropped. A reducer that was registered for the same tool later stays.
#[must_use = "the reducer is removed when this guard is dropped; `keep` makes it permanent"]
#[derive(Debug)]
pub struct ReducerGuard {
    registration: Option<(Reducers, String, Weak<dyn ResultReducer>)>,
}

impl ReducerGuard {
    /// Keeps the reducer permanently.
    pub fn keep(mut self) {
        self.registration = None;
    }

    /// Removes the reducer now. Further calls have no effect.
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
