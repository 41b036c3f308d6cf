//! The agents that an app defines.

use helve_agents::{AgentSet, AgentSpec};

#[derive(Debug, Default)]
pub(super) struct AgentSettings {
    pub(super) specs: Vec<AgentSpec>,
    /// The agents that other packages embed.
    pub(super) sets: Vec<&'static AgentSet>,
    /// Whether the agent files of the user and the project are ignored.
    pub(super) embedded_only: bool,
}
