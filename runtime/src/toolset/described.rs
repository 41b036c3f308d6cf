//! A tool that is described otherwise.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::schema::Mistakes;
use crate::tool::{
    Availability, Coverage, Execution, Facts, Tool, ToolContext, ToolDef, ToolResult, ToolSpec,
};

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
        Arc::new(Self { inner, spec })
    }
}

impl Tool for Described {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        self.inner.facts(context, arguments)
    }

    fn call<'a>(
        &'a self,
        context: &'a ToolContext,
        arguments: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        self.inner.call(context, arguments)
    }

    fn execution(&self, arguments: &str) -> Execution {
        self.inner.execution(arguments)
    }

    fn match_rule(
        &self,
        context: &ToolContext,
        arguments: &str,
        rule: &str,
    ) -> Option<Result<Coverage, Mistakes>> {
        self.inner.match_rule(context, arguments, rule)
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        self.inner.availability(context)
    }

    fn is_always_available(&self) -> bool {
        self.inner.is_always_available()
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        self.inner.definition()
    }

    fn is_bound(&self) -> bool {
        self.inner.is_bound()
    }
}
