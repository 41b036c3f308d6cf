//! Results that are used again.

mod kept;
mod key;

use std::fmt;
use std::sync::Arc;

use futures_util::future::{Either, FutureExt};

use crate::support::lock::Mutex;
use crate::tool::reads::{Read, Reads};
use crate::tool::{Permit, Prepared, Tool, ToolContext, ToolOutput, ToolResult, dispatch};
use kept::Kept;
use key::Key;

/// The usual bounds.
const ENTRIES: usize = 256;
const BYTES: usize = 16 << 20;

/// Keeps the results of tools that are [`cached`](crate::tool::ToolSpec::cached), for as long as all that they
/// [read](ToolContext::reads) is unchanged.
///
/// A result is one of a tool, a session, a principal and arguments: nothing is shared between two of any of them. Errors,
/// calls that were stopped, dry runs and calls outside of a session are not kept, nor is a result whose call did not say
/// what it read. What was used longest ago goes first. Clones share what they keep.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::agent::{Agent, ResultCache};
/// use helve::model::ScriptedModel;
///
/// let agent = Agent::new("main", ScriptedModel::new()).result_cache(ResultCache::bounded(32, 1 << 20));
/// ```
#[derive(Clone)]
pub struct ResultCache {
    kept: Arc<Mutex<Kept>>,
}

/// A result, and what it stands on.
struct Entry {
    /// A tool that came in the place of another under its name is another one.
    tool: Arc<dyn Tool>,
    output: ToolOutput,
    reads: Vec<Read>,
}

/// A result, and whether it was there already.
pub(super) struct Answer {
    pub(super) result: ToolResult,
    pub(super) is_cached: bool,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self::bounded(ENTRIES, BYTES)
    }
}

impl ResultCache {
    /// Makes an empty one with the usual bounds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty one that keeps so many results, and so many bytes of them. Of none, it keeps nothing.
    #[must_use]
    pub fn bounded(entries: usize, bytes: usize) -> Self {
        Self {
            kept: Arc::new(Mutex::new(Kept::new(entries, bytes))),
        }
    }

    /// Returns how many results are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.lock().len()
    }

    /// Reports whether no result is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs a call, or gives the result of an earlier one.
    pub(super) fn run(
        &self,
        tool: Arc<dyn Tool>,
        prepared: Prepared,
        permit: Permit,
    ) -> impl Future<Output = Answer> + Send {
        match Key::of(&*tool, permit.context(), prepared.text()) {
            None => Either::Left(dispatch::run(&*tool, prepared, permit).map(Answer::fresh)),
            // In a box of its own, since few tools are cached, and every call would be as large.
            Some(key) => Either::Right(Box::pin(self.run_keyed(key, tool, prepared, permit))),
        }
    }

    async fn run_keyed(
        &self,
        key: Key,
        tool: Arc<dyn Tool>,
        prepared: Prepared,
        permit: Permit,
    ) -> Answer {
        let cx = permit.context().clone();
        if let Some(output) = self.find(&key, &tool, &cx).await {
            return Answer {
                result: Ok(output),
                is_cached: true,
            };
        }
        let reads = Arc::new(Reads::default());
        let permit = permit.in_context(cx.noting(&reads));
        let result = dispatch::run(&*tool, prepared, permit).await;
        if let (Ok(output), Some(reads), false) = (&result, reads.all(), cx.is_cancelled()) {
            let entry = Entry {
                tool,
                output: output.clone().without_cost(),
                reads,
            };
            self.kept.lock().insert(key, entry);
        }
        Answer::fresh(result)
    }

    /// Finds a result that still holds; one that does not is forgotten.
    async fn find(&self, key: &Key, tool: &Arc<dyn Tool>, cx: &ToolContext) -> Option<ToolOutput> {
        let entry = self.kept.lock().get(key)?;
        let mut holds = is_same(&entry.tool, tool);
        for read in &entry.reads {
            holds = holds && read.is_unchanged(cx).await;
        }
        if !holds {
            self.kept.lock().remove(key);
        }
        // A call that was stopped gets no result, as it would not otherwise.
        (holds && !cx.is_cancelled()).then(|| entry.output.clone())
    }
}

impl Answer {
    fn fresh(result: ToolResult) -> Self {
        Self {
            result,
            is_cached: false,
        }
    }
}

/// Reports whether two are one tool. A linked function is the same wherever it is handed on.
fn is_same(first: &Arc<dyn Tool>, second: &Arc<dyn Tool>) -> bool {
    let is_one_function = || match (first.definition(), second.definition()) {
        (Some(one), Some(other)) => std::ptr::eq(one, other) && one.receiver().is_none(),
        _ => false,
    };
    Arc::ptr_eq(first, second) || is_one_function()
}

impl fmt::Debug for ResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCache")
            .field("results", &self.len())
            .finish_non_exhaustive()
    }
}
