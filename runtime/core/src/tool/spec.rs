//! What a model is shown of a tool, and what the runtime around it reads.

use std::sync::Arc;
use std::time::Duration;

use crate::capability::Requires;
use crate::schema::CanonicalSchema;
use crate::tool::annotations::{Annotations, Concurrency, Risk};
use crate::tool::origin::ToolOrigin;

/// The description of a tool: of a `#[tool]` function, of a dynamic tool, of one behind MCP.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls: 1 to 64 characters of `[A-Za-z0-9_-]`.
    pub name: Arc<str>,
    /// A name for people.
    pub title: Option<Arc<str>>,
    /// What the model reads.
    pub description: Arc<str>,
    /// MCP's hints.
    pub annotations: Annotations,
    /// How much harm a call can do, where the arguments do not say otherwise.
    pub risk: Risk,
    /// Whether calls may run beside others.
    pub concurrency: Concurrency,
    /// Who brings it.
    pub origin: ToolOrigin,
    /// The group that switches the tool on and off.
    pub group: Option<Arc<str>>,
    /// How the tools of the group are to be used together, for the model.
    pub group_instructions: Option<Arc<str>>,
    /// Whether it is offered whenever its group is on, however many tools there are.
    pub always: bool,
    /// Whether a result may be used again while the state that the call [read](crate::tool::ToolContext::reads) is the
    /// same. It counts for what is read-only alone.
    pub cached: bool,
    /// Whether the output comes from an untrusted source, which may want to steer the model.
    pub untrusted_output: bool,
    /// Who the output comes from, where it is not the tool itself: a server, for instance.
    pub output_source: Option<Arc<str>>,
    /// The most characters of a result.
    pub max_result_chars: Option<usize>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What it declared that it has to reach.
    pub requires: Requires,
    /// What arguments look like.
    pub input_schema: Arc<CanonicalSchema>,
    /// What structured content looks like, where the result is always an object.
    pub output_schema: Option<Arc<CanonicalSchema>>,
}

impl ToolSpec {
    /// Makes the description of a tool that declares nothing but its name, its text and its schema.
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
