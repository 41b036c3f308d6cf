//! A source whose tools are one group.

use std::sync::Arc;

use super::cached::Cached;
use super::described::Described;
use super::source::{ToolList, ToolSource};

/// Puts the tools of a source into a group, with instructions where there are any.
pub(super) struct Grouped {
    inner: Arc<dyn ToolSource>,
    group: Arc<str>,
    instructions: Option<Arc<str>>,
    grouped: Cached,
}

impl Grouped {
    pub(super) fn new(
        inner: Arc<dyn ToolSource>,
        group: Arc<str>,
        instructions: Option<Arc<str>>,
    ) -> Self {
        Self {
            inner,
            group,
            instructions,
            grouped: Cached::default(),
        }
    }
}

impl ToolSource for Grouped {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        self.grouped.at(list.revision(), || {
            let grouped = list.tools().iter().map(|tool| {
                Described::by(tool.clone(), |spec| {
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
