//! A source whose list is derived from that of another source.

use std::sync::Arc;

use super::cached::ListCache;
use super::source::{ToolList, ToolSource};
use crate::tool::Tool;

/// Derives a list from the list of another source.
pub(super) struct MappedSource {
    inner: Arc<dyn ToolSource>,
    map: Box<dyn Fn(&ToolList) -> ToolList + Send + Sync>,
    cache: ListCache,
}

impl MappedSource {
    pub(super) fn new(
        inner: &Arc<dyn ToolSource>,
        map: impl Fn(&ToolList) -> ToolList + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::clone(inner),
            map: Box::new(map),
            cache: ListCache::default(),
        }
    }

    /// Maps each tool to another tool.
    pub(super) fn with_each(
        inner: &Arc<dyn ToolSource>,
        wrap: impl Fn(&Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
    ) -> Self {
        Self::new(inner, move |list| {
            let wrapped = list.tools().iter().map(&wrap);
            ToolList::new(wrapped).with_warnings(list.warnings().iter().cloned())
        })
    }
}

impl ToolSource for MappedSource {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        let make = || (self.map)(&list);
        self.cache.get_or_make(list.revision(), make)
    }

    fn revision(&self) -> u64 {
        self.inner.revision()
    }
}
