//! The suggester that compares words, without a model.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::{Suggester, SuggestionRequest};
use crate::tool_search::{ToolIndex, is_self_contained};
use helve_core::support::lock::Mutex;
use helve_core::toolset::Toolset;
use helve_core::transcript::ToolName;

/// The minimum score of a suggested tool, relative to the best score.
const MIN_RELATIVE_SCORE: f64 = 0.25;

/// Suggests the tools whose words fit the last line of the user best. If the line is too short, earlier lines count, too.
#[derive(Debug, Default)]
pub struct LexicalSuggester {
    indexes: IndexCache,
}

impl LexicalSuggester {
    /// Creates a suggester without an index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// The index of the last toolset, and the fingerprint of the toolset.
#[derive(Debug, Default)]
pub(super) struct IndexCache(Mutex<Option<(u64, Arc<ToolIndex>)>>);

impl IndexCache {
    /// Returns the index of a toolset, which is made on a thread for blocking work.
    pub(super) async fn get(&self, tools: &Toolset) -> Option<Arc<ToolIndex>> {
        let state = fingerprint(tools);
        if let Some((of, index)) = &*self.0.lock()
            && *of == state
        {
            return Some(Arc::clone(index));
        }
        let tools = tools.clone();
        let made = tokio::task::spawn_blocking(move || ToolIndex::from_toolset(&tools));
        let index = Arc::new(made.await.ok()?);
        *self.0.lock() = Some((state, Arc::clone(&index)));
        Some(index)
    }
}

/// Returns the fingerprint of a toolset. The revision of its source is not enough, since a view has fewer tools.
fn fingerprint(tools: &Toolset) -> u64 {
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    tools.revision().hash(&mut hasher);
    for tool in tools.tools() {
        tool.spec().name.hash(&mut hasher);
    }
    hasher.finish()
}

impl Suggester for LexicalSuggester {
    fn suggest<'a>(&'a self, request: &'a SuggestionRequest) -> BoxFuture<'a, Vec<ToolName>> {
        async move {
            let Some(index) = self.indexes.get(&request.tools).await else {
                return Vec::new();
            };
            let last = request.user_text.lines().last().unwrap_or_default();
            let said = match is_self_contained(last) {
                true => last,
                false => &request.user_text,
            };
            let mut found = index.search(said, request.limit);
            let best = found.first().map_or(0.0, |found| found.score);
            found.retain(|found| found.score >= best * MIN_RELATIVE_SCORE);
            found.into_iter().map(|found| found.name).collect()
        }
        .boxed()
    }
}
