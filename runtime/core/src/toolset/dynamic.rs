//! Tools that are made while the process runs.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::schema::{self, Mistakes, SchemaError};
use crate::tool::{
    Annotations, Facts, PreparedCall, Tool, ToolContext, ToolOrigin, ToolResult, ToolSpec,
};

/// A tool of a name, a schema and a closure: for what is only known at run time.
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

/// Why a dynamic tool could not be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicToolError {
    /// The name does not fit.
    #[error("`{0}` is not a valid tool name: use 1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`")]
    Name(String),
    /// The schema does not fit.
    #[error("the schema of the tool `{name}` is not usable")]
    Schema {
        /// The tool.
        name: String,
        /// Why.
        #[source]
        source: SchemaError,
    },
}

impl DynamicTool {
    /// Makes a tool of a name, a description, a JSON Schema of its arguments, and what it does.
    ///
    /// Arguments are held against the schema before the closure sees them.
    ///
    /// # Errors
    ///
    /// Fails on a name that providers refuse and on a schema that is none.
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

    /// Declares what the tool does to its environment.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.spec = self.spec.with_annotations(annotations);
        self
    }

    /// Sets who brings the tool, where that is not the program itself: a plugin, or a server that is reached in a way
    /// of its own.
    #[must_use]
    pub fn with_origin(mut self, origin: ToolOrigin) -> Self {
        self.spec.origin = origin;
        self
    }

    /// Has the tool offered whenever its group is on, however many tools there are.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.spec.always = true;
        self
    }

    /// Has results used again while the state that the call [read](ToolContext::reads) is the same. It counts only where
    /// the tool is [annotated](Self::with_annotations) as read-only.
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

/// Reports whether every provider takes a name.
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
        // An empty call is the same as an empty object; anything else has just been read as JSON.
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
