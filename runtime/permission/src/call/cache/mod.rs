//! The cache of tool results.

mod key;
mod lru_map;

use std::fmt;
use std::sync::Arc;

use futures_util::future::{Either, FutureExt};

use helve_core::authority;
use helve_core::support::lock::Mutex;
use helve_core::tool::read_log::{ReadLog, StateRead};
use helve_core::tool::{
    Permit, PreparedCall, TakenCall, Tool, ToolContext, ToolOutput, ToolResult, dispatch,
};
use key::CacheKey;
use lru_map::LruMap;

/// The default limits.
const DEFAULT_MAX_ENTRIES: usize = 256;
const DEFAULT_MAX_BYTES: usize = 16 << 20;

/// A cache of the results of tools that are [`cached`](helve_core::tool::ToolSpec::cached). A result is valid as long
/// as everything that its call [read](ToolContext::reads) is unchanged.
///
/// The key of a result consists of the tool, the session, the principal and the arguments; results are not shared
/// across them. Not cached are errors, cancelled calls, dry runs, calls outside of a session, and calls that did not
/// declare what they read. The least recently used results are evicted first. Clones share the cache.
///
/// ```
/// use helve::agent::{Agent, ResultCache};
/// use helve::model::ScriptedModel;
///
/// let agent = Agent::new("main", ScriptedModel::new()).result_cache(ResultCache::with_limits(32, 1 << 20));
/// ```
#[derive(Clone)]
pub struct ResultCache {
    entries: Arc<Mutex<LruMap>>,
}

/// A cached result, and the values that it depends on.
struct CacheEntry {
    /// The tool, compared by identity: a tool that replaces another under the same name is a different one.
    tool: Arc<dyn Tool>,
    output: ToolOutput,
    reads: Vec<StateRead>,
}

/// A result, and whether it came from the cache.
pub(super) struct CacheOutcome {
    pub(super) result: ToolResult,
    pub(super) is_cached: bool,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self::with_limits(DEFAULT_MAX_ENTRIES, DEFAULT_MAX_BYTES)
    }
}

impl ResultCache {
    /// Creates an empty cache with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty cache with a maximum number of results and a maximum total size in bytes. A limit of zero
    /// disables the cache.
    #[must_use]
    pub fn with_limits(entries: usize, bytes: usize) -> Self {
        Self {
            entries: Arc::new(Mutex::new(LruMap::new(entries, bytes))),
        }
    }

    /// Returns the number of cached results.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// Reports whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs a call, or returns the cached result of an earlier one.
    pub(super) fn run<'c>(
        &'c self,
        tool: &'c Arc<dyn Tool>,
        prepared: &mut PreparedCall,
        permit: Permit,
    ) -> impl Future<Output = CacheOutcome> + Send + use<'c> {
        match CacheKey::for_call(&**tool, permit.context(), prepared.text()) {
            None => {
                let running = dispatch::run_taken(&**tool, prepared.take(), permit);
                Either::Left(running.map(CacheOutcome::uncached))
            }
            // Boxed, since few tools are cached and the future of every call would be as large.
            Some(key) => {
                Either::Right(Box::pin(self.run_keyed(key, tool, prepared.take(), permit)))
            }
        }
    }

    async fn run_keyed(
        &self,
        key: CacheKey,
        tool: &Arc<dyn Tool>,
        taken: TakenCall,
        permit: Permit,
    ) -> CacheOutcome {
        let cx = permit.context().clone();
        if let Some(output) = self.find(&key, tool, &cx).await {
            let (result, is_cached) = (Ok(output), true);
            return CacheOutcome { result, is_cached };
        }
        let reads = Arc::new(ReadLog::default());
        let permit = authority::move_permit(permit, cx.with_read_log(&reads));
        let result = dispatch::run_taken(&**tool, taken, permit).await;
        if let (Ok(output), Some(reads), false) = (&result, reads.all(), cx.is_cancelled()) {
            let entry = CacheEntry {
                tool: Arc::clone(tool),
                output: output.clone().without_cost(),
                reads,
            };
            self.entries.lock().insert(key, entry);
        }
        CacheOutcome::uncached(result)
    }

    /// Returns a cached result that is still valid; removes one that is not.
    async fn find(
        &self,
        key: &CacheKey,
        tool: &Arc<dyn Tool>,
        cx: &ToolContext,
    ) -> Option<ToolOutput> {
        let entry = self.entries.lock().get(key)?;
        let mut holds = is_same_tool(&entry.tool, tool);
        for read in &entry.reads {
            holds = holds && read.is_unchanged(cx).await;
        }
        if !holds {
            self.entries.lock().remove(key);
        }
        // A cancelled call gets no result, as without the cache.
        (holds && !cx.is_cancelled()).then(|| entry.output.clone())
    }
}

impl CacheOutcome {
    fn uncached(result: ToolResult) -> Self {
        Self {
            result,
            is_cached: false,
        }
    }
}

/// Reports whether two values are the same tool. A linked function is the same tool wherever its pointer was copied.
fn is_same_tool(first: &Arc<dyn Tool>, second: &Arc<dyn Tool>) -> bool {
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
