//! What a subcommand of the app's own works with.

use std::sync::Arc;

use helve_core::tool::State;
use helve_core::toolset::Toolset;

/// What a subcommand of the app's own may use.
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
