//! A tool that is described otherwise.

use std::sync::Arc;

use crate::tool::{Tool, ToolSpec, Wrapper};

/// A tool with another description; otherwise it is the tool.
pub(super) struct Described {
    inner: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl Described {
    /// Describes a tool by what it says of itself, changed.
    pub(super) fn by(inner: Arc<dyn Tool>, change: impl FnOnce(&mut ToolSpec)) -> Arc<dyn Tool> {
        let mut spec = inner.spec().clone();
        change(&mut spec);
        Self { inner, spec }.into_tool()
    }
}

impl Wrapper for Described {
    fn inner(&self) -> &dyn Tool {
        &*self.inner
    }

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
}
