//! A source with some of its tools left out.

use std::sync::Arc;

use super::cached::Cached;
use super::filter::ToolFilter;
use super::source::{ToolList, ToolSource};
use crate::registry::nearest;
use crate::tool::ToolSpec;

/// Keeps what a predicate, a list of names or the gates of a filter accept.
pub(super) struct Filtered {
    inner: Arc<dyn ToolSource>,
    keep: Keep,
    kept: Cached,
}

enum Keep {
    By(Box<dyn Fn(&ToolSpec) -> bool + Send + Sync>),
    Only(Vec<String>),
    Granted(ToolFilter),
}

impl Filtered {
    pub(super) fn by(
        inner: Arc<dyn ToolSource>,
        keep: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::new(inner, Keep::By(Box::new(keep)))
    }

    pub(super) fn granted(inner: Arc<dyn ToolSource>, filter: ToolFilter) -> Self {
        Self::new(inner, Keep::Granted(filter))
    }

    pub(super) fn only(inner: Arc<dyn ToolSource>, names: Vec<String>) -> Self {
        let filtered = Self::new(inner, Keep::Only(names));
        for warning in filtered.list().warnings() {
            tracing::warn!("{warning}");
        }
        filtered
    }

    fn new(inner: Arc<dyn ToolSource>, keep: Keep) -> Self {
        Self {
            inner,
            keep,
            kept: Cached::default(),
        }
    }
}

impl ToolSource for Filtered {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.kept.at(list.revision(), || {
            let tools = list.tools().iter();
            let kept = tools.filter(|tool| self.keep.accepts(tool.spec()));
            let warnings = list.warnings().iter().cloned();
            ToolList::new(kept.cloned()).with_warnings(warnings.chain(self.keep.unknown(&list)))
        })
    }

    fn revision(&self) -> u64 {
        self.inner.revision()
    }
}

impl Keep {
    fn accepts(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::By(keep) => keep(spec),
            Self::Only(names) => names.iter().any(|name| **name == *spec.name),
            Self::Granted(filter) => filter.check(spec).is_ok(),
        }
    }

    /// Names the names that no tool has.
    fn unknown(&self, list: &ToolList) -> Vec<String> {
        let names = match self {
            Self::By(_) => return Vec::new(),
            Self::Only(names) => names,
            Self::Granted(filter) => {
                let idle = filter.idle(list.tools());
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
