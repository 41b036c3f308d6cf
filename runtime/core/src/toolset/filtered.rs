//! A source with some of its tools left out.

use std::sync::Arc;

use super::cached::ListCache;
use super::filter::ToolFilter;
use super::source::{ToolList, ToolSource};
use crate::registry::nearest;
use crate::tool::ToolSpec;

/// Keeps what a predicate, a list of names or the gates of a filter accept.
pub(super) struct FilteredSource {
    inner: Arc<dyn ToolSource>,
    filter: SourceFilter,
    cache: ListCache,
}

enum SourceFilter {
    Predicate(Box<dyn Fn(&ToolSpec) -> bool + Send + Sync>),
    Names(Vec<String>),
    Filter(ToolFilter),
}

impl FilteredSource {
    pub(super) fn with_predicate(
        inner: Arc<dyn ToolSource>,
        keep: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::new(inner, SourceFilter::Predicate(Box::new(keep)))
    }

    pub(super) fn with_filter(inner: Arc<dyn ToolSource>, filter: ToolFilter) -> Self {
        Self::new(inner, SourceFilter::Filter(filter))
    }

    pub(super) fn with_names(inner: Arc<dyn ToolSource>, names: Vec<String>) -> Self {
        let filtered = Self::new(inner, SourceFilter::Names(names));
        for warning in filtered.list().warnings() {
            tracing::warn!("{warning}");
        }
        filtered
    }

    fn new(inner: Arc<dyn ToolSource>, keep: SourceFilter) -> Self {
        Self {
            inner,
            filter: keep,
            cache: ListCache::default(),
        }
    }
}

impl ToolSource for FilteredSource {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.cache.get_or_make(list.revision(), || {
            let tools = list.tools().iter();
            let kept = tools.filter(|tool| self.filter.accepts(tool.spec()));
            let warnings = list.warnings().iter().cloned();
            ToolList::new(kept.cloned()).with_warnings(warnings.chain(self.filter.unknown(&list)))
        })
    }

    fn revision(&self) -> u64 {
        self.inner.revision()
    }
}

impl SourceFilter {
    fn accepts(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::Predicate(keep) => keep(spec),
            Self::Names(names) => names.iter().any(|name| **name == *spec.name),
            Self::Filter(filter) => filter.check(spec).is_ok(),
        }
    }

    /// Names the names that no tool has.
    fn unknown(&self, list: &ToolList) -> Vec<String> {
        let names = match self {
            Self::Predicate(_) => return Vec::new(),
            Self::Names(names) => names,
            Self::Filter(filter) => {
                let idle = filter.unmatched_names(list.tools());
                return idle.iter().map(ToString::to_string).collect();
            }
        };
        let known = || list.tools().iter().map(|tool| &*tool.spec().name);
        let unknown = names
            .iter()
            .filter(|name| !known().any(|known| known == **name));
        unknown
            .map(|name| match nearest(name, known()) {
                Some(near) => format!("no tool is called `{name}`; did you mean `{near}`?"),
                None => format!("no tool is called `{name}`"),
            })
            .collect()
    }
}
