//! A tool that is described otherwise.

use std::sync::Arc;

use crate::tool::{Tool, ToolSpec, ToolWrapper};

/// A tool with another description; otherwise it is the tool.
pub(super) struct RedescribedTool {
    inner: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl RedescribedTool {
    /// Describes a tool by what it says of itself, changed.
    pub(super) fn wrap(inner: &Arc<dyn Tool>, change: impl FnOnce(&mut ToolSpec)) -> Arc<dyn Tool> {
        let mut spec = inner.spec().clone();
        change(&mut spec);
        let inner = Arc::clone(inner);
        Self { inner, spec }.into_tool()
    }
}

impl ToolWrapper for RedescribedTool {
    fn inner(&self) -> &dyn Tool {
        &*self.inner
    }

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
}
