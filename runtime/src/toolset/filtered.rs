//! A source with some of its tools left out.

use std::sync::Arc;

use super::source::{ToolList, ToolSource};
use crate::registry::nearest;
use crate::tool::ToolSpec;

/// Keeps what a predicate or a list of names accepts.
pub(super) struct Filtered {
    inner: Arc<dyn ToolSource>,
    keep: Keep,
}

enum Keep {
    By(Box<dyn Fn(&ToolSpec) -> bool + Send + Sync>),
    Only(Vec<String>),
}

impl Filtered {
    pub(super) fn by(
        inner: Arc<dyn ToolSource>,
        keep: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner,
            keep: Keep::By(Box::new(keep)),
        }
    }

    pub(super) fn only(inner: Arc<dyn ToolSource>, names: Vec<String>) -> Self {
        let filtered = Self {
            inner,
            keep: Keep::Only(names),
        };
        for warning in filtered.list().warnings() {
            tracing::warn!("{warning}");
        }
        filtered
    }
}

impl ToolSource for Filtered {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        let kept = list
            .tools()
            .iter()
            .filter(|tool| self.keep.accepts(tool.spec()))
            .cloned();
        ToolList::new(kept)
            .at_revision(list.revision())
            .with_warnings(
                list.warnings()
                    .iter()
                    .cloned()
                    .chain(self.keep.unknown(&list)),
            )
    }
}

impl Keep {
    fn accepts(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::By(keep) => keep(spec),
            Self::Only(names) => names.iter().any(|name| **name == *spec.name),
        }
    }

    /// Names the names that no tool has.
    fn unknown(&self, list: &ToolList) -> Vec<String> {
        let Self::Only(names) = self else {
            return Vec::new();
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
