//! A source whose tools are one group.

use std::sync::Arc;

use super::described::Described;
use super::source::{ToolList, ToolSource};

/// Puts the tools of a source into a group, with instructions.
pub(super) struct Grouped {
    inner: Arc<dyn ToolSource>,
    group: Arc<str>,
    instructions: Arc<str>,
}

impl Grouped {
    pub(super) fn new(inner: Arc<dyn ToolSource>, group: Arc<str>, instructions: Arc<str>) -> Self {
        Self {
            inner,
            group,
            instructions,
        }
    }
}

impl ToolSource for Grouped {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        let grouped = list.tools().iter().map(|tool| {
            Described::by(tool.clone(), |spec| {
                spec.group = Some(self.group.clone());
                spec.group_instructions = Some(self.instructions.clone());
            })
        });
        ToolList::new(grouped)
            .at_revision(list.revision())
            .with_warnings(list.warnings().iter().cloned())
    }
}
