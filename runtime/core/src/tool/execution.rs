//! The executor of a call.

use crate::transcript::AgentId;

/// The executor of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Execution {
    /// The tool itself, in this process.
    #[default]
    Local,
    /// An external executor, which submits the result: a client, a person, another system. The turn waits for the
    /// result.
    External,
    /// Another agent, in its own turn.
    Delegate {
        /// The name of the agent.
        agent: AgentId,
        /// The task of the agent.
        task: String,
    },
}
