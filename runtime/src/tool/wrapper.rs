//! Tools around other tools.

use std::any::TypeId;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::schema::Mistakes;
use crate::tool::{
    Availability, Coverage, Execution, Facts, Tool, ToolContext, ToolDef, ToolResult, ToolSpec,
};

/// A tool around another one, which it is in everything that it does not say otherwise.
///
/// What stands here is what some wrapper changes; the rest of a [`Tool`] is the inner one's at all times.
pub(crate) trait Wrapper: Send + Sync + 'static {
    /// Returns the tool inside.
    fn inner(&self) -> &dyn Tool;

    fn spec(&self) -> &ToolSpec {
        self.inner().spec()
    }

    fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        self.inner().facts(context, arguments)
    }

    fn call<'a>(
        &'a self,
        context: &'a ToolContext,
        arguments: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        self.inner().call(context, arguments)
    }

    fn execution(&self, arguments: &str) -> Execution {
        self.inner().execution(arguments)
    }

    /// Makes a tool of it.
    fn into_tool(self) -> Arc<dyn Tool>
    where
        Self: Sized,
    {
        Arc::new(Wrapped(self))
    }
}

/// The tool that a wrapper makes of the one inside.
struct Wrapped<W>(W);

#[deny(
    clippy::missing_trait_methods,
    reason = "what is not passed on would be answered as if there were no tool inside"
)]
impl<W: Wrapper> Tool for Wrapped<W> {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        self.0.facts(context, arguments)
    }

    fn call<'a>(
        &'a self,
        context: &'a ToolContext,
        arguments: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        self.0.call(context, arguments)
    }

    fn match_rule(
        &self,
        context: &ToolContext,
        arguments: &str,
        rule: &str,
    ) -> Option<Result<Coverage, Mistakes>> {
        self.0.inner().match_rule(context, arguments, rule)
    }

    fn execution(&self, arguments: &str) -> Execution {
        self.0.execution(arguments)
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        self.0.inner().availability(context)
    }

    fn is_always_available(&self) -> bool {
        self.0.inner().is_always_available()
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        self.0.inner().definition()
    }

    fn is_bound(&self) -> bool {
        self.0.inner().is_bound()
    }

    fn state_types(&self) -> Vec<TypeId> {
        self.0.inner().state_types()
    }
}
