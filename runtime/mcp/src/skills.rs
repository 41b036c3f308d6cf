//! The skills of servers (SEP-2640), as sources of skills.
//!
//! The skill of a server is untrusted text that a model follows. A skill is therefore left out until the user has approved
//! exactly its files, and each read of a file checks its digest.

pub(super) mod manifest;
mod source;

use std::sync::Arc;

use crate::servers::McpServers;
use helve_skill::SkillSource;

impl McpServers {
    /// Returns the skills of the servers as sources for a [catalogue](helve_skill::SkillCatalog), one for each server.
    ///
    /// A skill is left out until the user has [approved](Self::approve) it, and again when one of its files changes. The
    /// protocol has no notification of changed skills, so that they are listed again when the tools or the approvals of the
    /// server change.
    #[must_use]
    pub fn skill_sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let sources = self
            .servers()
            .map(|server| source::ServerSkills::new(self.clone(), server));
        sources.map(|source| Arc::new(source) as _).collect()
    }
}
