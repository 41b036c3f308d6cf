//! What a custom command limits its turn to.

use helve_core::toolset::ToolFilter;
use helve_permission::{AccessScope, Policy, Rules};

/// The limit of the turn of a custom command.
#[derive(Debug, Clone)]
pub(crate) struct CommandLimit {
    /// Excludes all other tools.
    pub(crate) filter: ToolFilter,
    /// The tools, also those that are added later, and the only calls of tools that the command names with a scope: unlike the
    /// filter, the policy of a turn also binds what the turn schedules.
    pub(crate) scope: AccessScope,
    /// Denies the excluded tools, also those that the program makes at run time.
    pub(crate) excluded: Rules,
}

impl CommandLimit {
    /// Returns a policy that permits only the calls within the limit.
    pub(crate) fn narrow(&self, policy: Policy) -> Policy {
        let policy = policy.limit_access(self.scope.clone());
        policy.rules(self.excluded.clone())
    }
}
