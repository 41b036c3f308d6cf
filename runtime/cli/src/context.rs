//! The context of subcommands that the app adds.

use std::sync::Arc;

use helve_core::tool::State;
use helve_core::toolset::Toolset;

/// The context of a subcommand that the app adds.
#[derive(Debug, Clone)]
pub struct CommandContext {
    pub(super) toolset: Toolset,
    pub(super) state: Arc<State>,
}

impl CommandContext {
    /// Returns the tools that the app grants.
    #[must_use]
    pub fn toolset(&self) -> &Toolset {
        &self.toolset
    }

    /// Returns the app's state.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
}
