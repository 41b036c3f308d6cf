//! What a model is asked.

use std::sync::Arc;

use super::ModelOptions;
use helve_core::schema::CanonicalSchema;
use helve_core::transcript::{Message, ToolName};

/// What a model is asked: the instructions, the conversation so far, and the tools that it may call.
///
/// A driver keeps one request for a whole turn and pushes messages to it, so that nothing is copied and the prefix
/// stays the same, which is what providers' caches want.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The instructions.
    pub system: Option<Arc<str>>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Arc<[OfferedTool]>,
    /// How the model should reply.
    pub options: ModelOptions,
}

impl ModelRequest {
    /// Creates a request without instructions and tools.
    #[must_use]
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// Sets the instructions.
    #[must_use]
    pub fn system(mut self, system: impl Into<Arc<str>>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<Arc<[OfferedTool]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// Sets how the model should reply.
    #[must_use]
    pub fn options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }
}

/// A tool as it stands in a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// The name.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: Arc<str>,
    /// What its arguments look like; a client renders it in the dialect of its provider.
    pub input_schema: Arc<CanonicalSchema>,
}

impl OfferedTool {
    /// Makes one.
    pub fn new(
        name: impl Into<ToolName>,
        description: impl Into<Arc<str>>,
        input_schema: impl Into<Arc<CanonicalSchema>>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: input_schema.into(),
        }
    }
}
