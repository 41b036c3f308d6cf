//! A tool with a changed description.

use std::sync::Arc;

use crate::tool::{Tool, ToolSpec, ToolWrapper};

/// A tool with a changed description that otherwise behaves like the inner tool.
pub(super) struct RedescribedTool {
    inner: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl RedescribedTool {
    /// Wraps a tool, with a change to its description.
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
