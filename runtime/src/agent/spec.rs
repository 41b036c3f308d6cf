//! An agent: a model, instructions, tools, and what bounds them.

use std::fmt;
use std::sync::Arc;

use super::turn::Bounds;
use crate::model::Model;
use crate::permission::{Approver, DenyAll};
use crate::toolset::Toolset;
use crate::transcript::AgentId;

/// How many times a turn may call the model where nothing else is said.
const MODEL_CALLS: u32 = 50;

/// A model with instructions, the tools that it may call, and the bounds of a turn.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::prelude::*;
/// use helve::transcript::Message;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let model = ScriptedModel::new().call("add", serde_json::json!({ "a": 2, "b": 3 })).say("It is 5.");
/// let agent = Agent::new("main", model).toolset(toolset![add]);
/// let report = agent.run(vec![Message::user("2 + 3?")], &ToolContext::new(), |_event| {}).await;
/// assert_eq!(report.text(), "It is 5.");
/// # }
/// ```
#[derive(Clone)]
pub struct Agent {
    pub(super) id: AgentId,
    pub(super) model: Arc<dyn Model>,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) toolset: Toolset,
    pub(super) approver: Arc<dyn Approver>,
    pub(super) bounds: Bounds,
}

impl Agent {
    /// Makes an agent without instructions and tools, and with nobody who could approve anything.
    pub fn new(id: impl Into<AgentId>, model: impl Model + 'static) -> Self {
        Self::with_model(id, Arc::new(model))
    }

    /// Makes an agent of a model that others use too.
    pub fn with_model(id: impl Into<AgentId>, model: Arc<dyn Model>) -> Self {
        Self {
            id: id.into(),
            model,
            instructions: None,
            toolset: Toolset::empty(),
            approver: Arc::new(DenyAll),
            bounds: Bounds::new(MODEL_CALLS),
        }
    }

    /// Sets the instructions.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the tools that the agent may call.
    #[must_use]
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.toolset = toolset;
        self
    }

    /// Sets who answers when a call needs approval; without one it is denied.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self
    }

    /// Sets the bounds of a turn.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("id", &self.id)
            .field("toolset", &self.toolset)
            .finish_non_exhaustive()
    }
}
