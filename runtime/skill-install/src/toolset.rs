//! All tools that manage skills.

use std::sync::Arc;

use helve_core::toolset::Toolset;

use crate::manager::SkillManager;

impl SkillManager {
    /// Returns the tools `list_skills`, `create_skill`, `install_skill` and `manage_skill`, and `run_skill` where skills run
    /// in a sandbox.
    #[must_use]
    pub fn into_toolset(self) -> Toolset {
        let manager = Arc::new(self);
        let tools = Self::toolset(Arc::clone(&manager));
        #[cfg(all(unix, feature = "sandbox"))]
        let tools = tools.layered(&crate::run::SkillRunner::new(&manager).into_toolset());
        tools
    }
}
