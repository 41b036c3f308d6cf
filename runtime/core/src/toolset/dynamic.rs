//! Tools that are created at run time.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::schema::{self, Mistakes, SchemaError};
use crate::tool::{
    Annotations, Facts, PreparedCall, Tool, ToolContext, ToolOrigin, ToolResult, ToolSpec,
};

/// A tool created from a name, a schema and a closure: for tools that are only known at run time.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::sync::Arc;
/// use helve::{ToolOutput, Toolset, toolset::DynamicTool};
/// use serde_json::json;
///
/// let shout = DynamicTool::new(
///     "shout",
///     "Says it in capitals.",
///     json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
///     |_cx, arguments| Box::pin(async move {
///         Ok(ToolOutput::plain(arguments["text"].as_str().unwrap_or_default().to_uppercase()))
///     }),
/// )?;
/// let tools = Toolset::from_tools([Arc::new(shout) as _]);
/// assert_eq!(tools.names(), ["shout"]);
/// # Ok::<(), helve::toolset::DynamicToolError>(())
/// ```
pub struct DynamicTool {
    spec: ToolSpec,
    handler: Arc<Handler>,
}

type Handler = dyn for<'a> Fn(&'a ToolContext, Value) -> BoxFuture<'a, ToolResult> + Send + Sync;

/// The error of creating a dynamic tool.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::toolset::{DynamicTool, DynamicToolError};
///
/// let schema = serde_json::json!({ "type": "object" });
/// let tool = DynamicTool::new("two words", "Does nothing.", schema, |_, _| Box::pin(async { Ok("".into()) }));
/// assert!(matches!(tool, Err(DynamicToolError::Name(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicToolError {
    /// The name is invalid.
    #[error("`{0}` is not a valid tool name: use 1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`")]
    Name(String),
    /// The schema is invalid.
    #[error("the schema of the tool `{name}` is not usable")]
    Schema {
        /// The name of the tool.
        name: String,
        /// The error of the schema.
        #[source]
        source: SchemaError,
    },
}

impl DynamicTool {
    /// Creates a tool from a name, a description, a JSON Schema of its arguments, and a closure.
    ///
    /// Arguments are checked against the schema before the closure is called.
    ///
    /// # Errors
    ///
    /// If providers refuse the name, or the schema is invalid.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
        handler: impl for<'a> Fn(&'a ToolContext, Value) -> BoxFuture<'a, ToolResult>
        + Send
        + Sync
        + 'static,
    ) -> Result<Self, DynamicToolError> {
        let name = name.into();
        if !is_tool_name(&name) {
            return Err(DynamicToolError::Name(name));
        }
        match schema::from_value(input_schema) {
            Ok(schema) => Ok(Self {
                spec: ToolSpec::new(name, description.into(), schema),
                handler: Arc::new(handler),
            }),
            Err(source) => Err(DynamicToolError::Schema { name, source }),
        }
    }

    /// Declares the effects of the tool on its environment.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.spec = self.spec.with_annotations(annotations);
        self
    }

    /// Sets the origin of the tool, if it is not the program itself: a plugin, or a server with its own transport.
    #[must_use]
    pub fn with_origin(mut self, origin: ToolOrigin) -> Self {
        self.spec.origin = origin;
        self
    }

    /// Makes the tool always offered while its group is enabled, however many tools there are.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.spec.always = true;
        self
    }

    /// Lets results be reused while the state that the call [read](ToolContext::reads) is unchanged. This applies only
    /// if the tool is [annotated](Self::with_annotations) as read-only.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.spec.cached = true;
        self
    }

    pub(super) fn spec_mut(&mut self) -> &mut ToolSpec {
        &mut self.spec
    }

    fn check(&self, arguments: &str) -> Result<(), Mistakes> {
        match schema::explain(&self.spec.input_schema, arguments) {
            mistakes if mistakes.is_empty() => Ok(()),
            mistakes => Err(mistakes),
        }
    }
}

/// Reports whether every provider accepts a name.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

impl Tool for DynamicTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, _: &ToolContext, arguments: Arc<str>) -> Result<PreparedCall, Mistakes> {
        self.check(&arguments)?;
        // An empty call is equivalent to an empty object; any other text has already been parsed as JSON.
        let read = serde_json::from_str(&arguments)
            .ok()
            .filter(Value::is_object);
        let read = read.unwrap_or_else(|| Value::Object(serde_json::Map::default()));
        let handler = Arc::clone(&self.handler);
        let facts = Facts::from_spec(&self.spec);
        Ok(PreparedCall::new(arguments, facts, move |context| {
            Box::pin(async move { handler(&context, read).await })
        }))
    }

    fn is_always_available(&self) -> bool {
        true
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
