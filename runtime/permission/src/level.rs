//! The levels at which a call is judged: the configuration of a policy, and its ceilings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AccessScope, DangerousPaths, Mode, Rules, UntrustedPolicy, paths};
use helve_core::authority;
use helve_core::tool::ToolContext;
use helve_core::transcript::ToolName;

/// The configuration of a policy.
#[derive(Debug, Clone, Default)]
pub(super) struct PolicyConfig {
    pub(super) mode: Mode,
    /// Whether the mode is that of the session, which the agent did not choose itself.
    pub(super) inherits_mode: bool,
    pub(super) rules: Rules,
    pub(super) working_folders: Vec<PathBuf>,
    pub(super) dangerous: DangerousPaths,
    pub(super) allow_unlisted: bool,
    pub(super) untrusted: UntrustedPolicy,
    pub(super) even_tainted: Vec<String>,
    /// The limits on the accesses of calls, all of which apply.
    pub(super) scopes: Vec<AccessScope>,
    /// Whether the conversation is not visible to this policy; then the URLs of the conversation are unknown.
    pub(super) no_conversation: bool,
}

/// The approval of a plan by the user.
#[derive(Debug, Clone)]
pub(super) struct PlanApproval {
    /// The mode in place of [`Mode::Plan`].
    pub(super) mode: Mode,
    /// The levels of the agent that presented the plan.
    pub(super) levels: Vec<Arc<PolicyConfig>>,
}

impl PolicyConfig {
    /// Returns the mode of this level. The approval of a plan does not lift the plan mode that another agent has of its own.
    pub(super) fn mode_after(&self, approval: Option<&PlanApproval>) -> Mode {
        let is_lifted = |approval: &&PlanApproval| {
            let mut levels = approval.levels.iter();
            self.inherits_mode || levels.any(|level| std::ptr::eq(Arc::as_ptr(level), self))
        };
        match (self.mode, approval.filter(is_lifted)) {
            (Mode::Plan, Some(approval)) => approval.mode,
            (mode, _) => mode,
        }
    }

    /// Reports whether a path lies in the workspace.
    pub(super) fn is_inside(&self, place: &Path, context: &ToolContext) -> bool {
        if self.working_folders.is_empty() {
            let roots = authority::granted_files(context).map(|files| files.roots());
            return roots.is_some_and(|roots| roots.iter().any(|root| place.starts_with(root)));
        }
        let home = context.home();
        let mut folders = self.working_folders.iter();
        folders.any(|folder| {
            let folder = folder.to_string_lossy();
            place.starts_with(&*paths::absolute(&folder, context.working_folder(), home))
        })
    }
}

/// The policy of a delegating agent, which limits the agents that it delegates to.
#[derive(Debug, Clone)]
pub(super) struct Ceiling {
    pub(super) config: Arc<PolicyConfig>,
    /// The tools that may be called under the ceiling; `None` if the ceiling does not restrict them.
    pub(super) tools: Option<Arc<BTreeSet<ToolName>>>,
    /// Whether the ceiling was recorded by an earlier process, in which the turn began.
    pub(super) is_recorded: bool,
}

impl Ceiling {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.config, &other.config) && self.tools == other.tools
    }

    /// Reports whether the ceiling permits calls of a tool at all.
    pub(super) fn has_tool(&self, tool: &str) -> bool {
        self.tools
            .as_ref()
            .is_none_or(|tools| tools.iter().any(|known| **known == *tool))
    }
}
