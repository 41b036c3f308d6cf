//! The specification of a tool, for models and for the runtime.

use std::sync::Arc;
use std::time::Duration;

use crate::capability::Requires;
use crate::schema::CanonicalSchema;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::origin::ToolOrigin;

/// The description of a tool: a `#[tool]` function, a dynamic tool, or a tool of an MCP server.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Tells the answer.
/// #[tool(read_only)]
/// fn answer() -> u32 {
///     42
/// }
///
/// let tool = toolset![answer].get("answer").expect("the toolset has the tool");
/// assert_eq!(&*tool.spec().description, "Tells the answer.");
/// assert_eq!(tool.spec().annotations.read_only, Some(true));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls: 1 to 64 characters of `[A-Za-z0-9_-]`.
    pub name: Arc<str>,
    /// The name to display.
    pub title: Option<Arc<str>>,
    /// The description for the model.
    pub description: Arc<str>,
    /// MCP's hints.
    pub annotations: Annotations,
    /// How much harm a call can do, if this is not judged from its arguments.
    pub risk: Risk,
    /// Whether calls may run concurrently with others.
    pub concurrency: Concurrency,
    /// The origin of the tool.
    pub origin: ToolOrigin,
    /// The group with which the tool is enabled and disabled.
    pub group: Option<Arc<str>>,
    /// The instructions for using the tools of the group together, for the model.
    pub group_instructions: Option<Arc<str>>,
    /// Whether the tool is offered whenever its group is enabled, however many tools there are.
    pub always: bool,
    /// Whether a result may be reused while the state that the call [read](crate::tool::ToolContext::reads) is
    /// unchanged. This applies only to read-only tools.
    pub cached: bool,
    /// Whether the output comes from an untrusted source, and may contain attempts to steer the model.
    pub untrusted_output: bool,
    /// The source of the output, if it is not the tool itself: for instance a server.
    pub output_source: Option<Arc<str>>,
    /// The maximum length of a result, in characters.
    pub max_result_chars: Option<usize>,
    /// The time limit of a call.
    pub timeout: Option<Duration>,
    /// The capabilities that the tool declares.
    pub requires: Requires,
    /// The schema of the arguments.
    pub input_schema: Arc<CanonicalSchema>,
    /// The schema of structured content, if the result is always an object.
    pub output_schema: Option<Arc<CanonicalSchema>>,
}

impl ToolSpec {
    /// Creates the specification of a tool with only a name, a description and a schema.
    pub fn new(
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        input_schema: CanonicalSchema,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            annotations: Annotations::NONE,
            risk: Risk::default(),
            concurrency: Concurrency::default(),
            origin: ToolOrigin::default(),
            group: None,
            group_instructions: None,
            always: false,
            cached: false,
            untrusted_output: false,
            output_source: None,
            max_result_chars: None,
            timeout: None,
            requires: Requires::NONE,
            input_schema: Arc::new(input_schema),
            output_schema: None,
        }
    }

    /// Sets the annotations, and the risk and concurrency that follow from them.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self.risk = annotations.implied_risk();
        self.concurrency = annotations.implied_concurrency();
        self
    }
}
