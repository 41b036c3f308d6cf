//! Who does the work of a call.

use crate::transcript::AgentId;

/// Who does the work of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Execution {
    /// The tool itself, in this process.
    #[default]
    Local,
    /// An external executor, which posts the result: a client, a person, another system. The turn waits for it.
    External,
    /// Another agent, in a turn of its own.
    Delegate {
        /// The agent, by name.
        agent: AgentId,
        /// What it is to do.
        task: String,
    },
}
