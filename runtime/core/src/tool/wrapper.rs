//! Tools that wrap other tools.

use std::any::TypeId;
use std::sync::Arc;

use crate::schema::Mistakes;
use crate::tool::{
    Availability, PreparedCall, SettingsSection, Tool, ToolContext, ToolDef, ToolSpec,
};

/// A tool that wraps another one, and delegates every method that it does not override.
///
/// The methods of this trait are those that some wrapper overrides; all other methods of [`Tool`] are always
/// delegated.
pub trait ToolWrapper: Send + Sync + 'static {
    /// Returns the wrapped tool.
    fn inner(&self) -> &dyn Tool;

    /// As [`Tool::spec`].
    fn spec(&self) -> &ToolSpec {
        self.inner().spec()
    }

    /// As [`Tool::prepare`].
    ///
    /// # Errors
    ///
    /// Returns the mistakes of arguments that do not fit the schema.
    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        self.inner().prepare(context, arguments)
    }

    /// As [`Tool::availability`].
    fn availability(&self, context: &ToolContext) -> Availability {
        self.inner().availability(context)
    }

    /// As [`Tool::is_always_available`].
    fn is_always_available(&self) -> bool {
        self.inner().is_always_available()
    }

    /// As [`Tool::settings`].
    fn settings(&self) -> Vec<Arc<SettingsSection>> {
        self.inner().settings()
    }

    /// Converts the wrapper to a tool.
    fn into_tool(self) -> Arc<dyn Tool>
    where
        Self: Sized,
    {
        Arc::new(WrappedTool(self))
    }
}

/// The tool that a wrapper is converted to.
struct WrappedTool<W>(W);

#[deny(
    clippy::missing_trait_methods,
    reason = "what is not passed on would be answered as if there were no tool inside"
)]
impl<W: ToolWrapper> Tool for WrappedTool<W> {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        self.0.prepare(context, arguments)
    }

    fn is_external(&self) -> bool {
        self.0.inner().is_external()
    }

    fn availability(&self, context: &ToolContext) -> Availability {
        self.0.availability(context)
    }

    fn is_always_available(&self) -> bool {
        self.0.is_always_available()
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        self.0.inner().definition()
    }

    fn is_bound(&self) -> bool {
        self.0.inner().is_bound()
    }

    fn settings(&self) -> Vec<Arc<SettingsSection>> {
        self.0.settings()
    }

    fn state_types(&self) -> Vec<TypeId> {
        self.0.inner().state_types()
    }
}
