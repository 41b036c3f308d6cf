//! A source whose tools are one group.

use std::sync::Arc;

use super::cached::ListCache;
use super::redescribed::RedescribedTool;
use super::source::{ToolList, ToolSource};

/// Puts the tools of a source into a group, with instructions where there are any.
pub(super) struct GroupedSource {
    inner: Arc<dyn ToolSource>,
    group: Arc<str>,
    instructions: Option<Arc<str>>,
    cache: ListCache,
}

impl GroupedSource {
    pub(super) fn new(
        inner: Arc<dyn ToolSource>,
        group: Arc<str>,
        instructions: Option<Arc<str>>,
    ) -> Self {
        Self {
            inner,
            group,
            instructions,
            cache: ListCache::default(),
        }
    }
}

impl ToolSource for GroupedSource {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.cache.get_or_make(list.revision(), || {
            let grouped = list.tools().iter().map(|tool| {
                RedescribedTool::wrap(tool.clone(), |spec| {
                    spec.group = Some(self.group.clone());
                    spec.group_instructions.clone_from(&self.instructions);
                })
            });
            ToolList::new(grouped).with_warnings(list.warnings().iter().cloned())
        })
    }

    fn revision(&self) -> u64 {
        self.inner.revision()
    }
}
