//! The request to a model.

use std::sync::Arc;

use super::ModelOptions;
use helve_core::schema::CanonicalSchema;
use helve_core::transcript::{Message, ToolName};

/// A request to a model: the instructions, the conversation so far, and the tools that the model may call.
///
/// A driver uses one request for a whole turn and appends messages, so that nothing is copied and the prefix stays
/// the same for the providers' caches.
///
/// ```
/// use helve::model::ModelRequest;
/// use helve::transcript::Message;
///
/// let request = ModelRequest::new(vec![Message::user("Hello")]).system("You answer in one sentence.");
/// assert_eq!(request.messages.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The instructions.
    pub system: Option<Arc<str>>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Arc<[OfferedTool]>,
    /// The options of the reply.
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

    /// Sets the options of the reply.
    #[must_use]
    pub fn options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }
}

/// A tool in a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// The name.
    pub name: ToolName,
    /// The description for the model.
    pub description: Arc<str>,
    /// The schema of the arguments, which a client renders in the dialect of its provider.
    pub input_schema: Arc<CanonicalSchema>,
}

impl OfferedTool {
    /// Creates a tool definition.
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
