//! Tools that are executed externally.

use std::sync::Arc;

use futures_util::future::{self, FutureExt};
use serde_json::Value;

use super::DynamicToolError;
use super::dynamic::DynamicTool;
use crate::schema::{self, Mistakes};
use crate::tool::{Annotations, Execution, PreparedCall, Tool, ToolContext, ToolError, ToolSpec};

/// A tool that is executed outside of this process: by the client that shows the conversation, by a person, or by
/// another system.
///
/// A call is checked for permission like any other, is handed out, and waits, for days if necessary, until a result
/// that matches the output schema is submitted.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::{Toolset, toolset::ExternalTool};
/// use serde_json::json;
///
/// let pick = ExternalTool::new(
///     "pick_colour",
///     "Lets the user pick a colour.",
///     json!({ "type": "object", "properties": { "title": { "type": "string" } } }),
/// )?
/// .with_output_schema(json!({ "type": "object", "properties": { "hex": { "type": "string" } }, "required": ["hex"] }))?;
/// let tools = Toolset::from_tools([Arc::new(pick) as _]);
/// assert_eq!(tools.names(), ["pick_colour"]);
/// # Ok::<(), helve::toolset::DynamicToolError>(())
/// ```
#[derive(Debug)]
pub struct ExternalTool {
    /// Checks the arguments against their schema; the closure of this tool is never called.
    inner: DynamicTool,
}

impl ExternalTool {
    /// Creates a tool from a name, a description and a JSON Schema of its arguments.
    ///
    /// # Errors
    ///
    /// If providers refuse the name, or the schema is invalid.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Result<Self, DynamicToolError> {
        let inner = DynamicTool::new(name, description, input_schema, |_, _| {
            let outside =
                "this tool works outside of this program: it can be called within a turn only";
            future::ready(Err(ToolError::NotAvailable(outside.to_owned()))).boxed()
        })?;
        Ok(Self { inner })
    }

    /// Sets the schema that a result must match to be accepted.
    ///
    /// # Errors
    ///
    /// If the schema is invalid.
    pub fn with_output_schema(mut self, schema: Value) -> Result<Self, DynamicToolError> {
        let spec = self.inner.spec_mut();
        let schema = schema::from_value(schema).map_err(|source| DynamicToolError::Schema {
            name: spec.name.to_string(),
            source,
        })?;
        spec.output_schema = Some(schema.into());
        Ok(self)
    }

    /// Declares the effects of the tool on its environment.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.inner = self.inner.with_annotations(annotations);
        self
    }
}

impl Tool for ExternalTool {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let prepared = self.inner.prepare(context, arguments)?;
        Ok(prepared.with_execution(Execution::External))
    }

    fn is_external(&self) -> bool {
        true
    }

    fn is_always_available(&self) -> bool {
        true
    }
}
