//! The skills of servers (SEP-2640), as sources of skills.
//!
//! A server's skill is text of somebody else's that a model is told to follow, so that it is left out until the user has
//! approved exactly these files. What a file holds is held against its digest each time it is read.

mod manifest;
mod source;

use std::sync::Arc;

use crate::acceptances::Entry;
use crate::mcp::CallError;
use crate::mcp::servers::{McpServers, Server};
use crate::skill::SkillSource;
use crate::tool::ToolContext;

use manifest::Manifest;

impl McpServers {
    /// Returns the skills of the servers as sources for a [catalogue](crate::skill::SkillCatalog), one for each server.
    ///
    /// A server that has none lists none. A skill is left out until the user has [approved](Self::approve) it, and when
    /// any of its files changes. A server does not tell when its skills change: they are listed anew when its tools do, or
    /// what is approved of it.
    #[must_use]
    pub fn skill_sources(&self) -> Vec<Arc<dyn SkillSource>> {
        let sources = self
            .servers()
            .map(|server| source::ServerSkills::new(self.clone(), server));
        sources.map(|source| Arc::new(source) as _).collect()
    }
}

/// Takes down the skills of a server, to be approved.
pub(super) async fn entries(server: &Server) -> Result<Vec<Entry>, CallError> {
    let skills = server.connection.skills(&ToolContext::new()).await?;
    let manifests = skills.iter().filter_map(|skill| Manifest::of(skill).ok());
    Ok(manifests.map(|manifest| manifest.entry()).collect())
}
