//! The acceptance of the agents of a project.

use std::path::Path;

use crate::agent_catalog::with_folders;
use helve_agents::{AgentCatalog, HeldAgent, NamedAgent};
use helve_permission::acceptances::{AcceptanceError, AcceptanceSubject, Acceptances, Difference};

/// Compares the agents of the project around a folder with what the user accepted.
pub(crate) fn differences(
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, AcceptanceError> {
    let catalog = with_folders(AgentCatalog::new(), folder, acceptances)?;
    let too_long = |agent: &NamedAgent| {
        let mut held = catalog.held();
        held.any(|(other, held)| *held == HeldAgent::TooLong && other.origin() == agent.origin())
    };
    let ours = catalog.of_project().filter(|agent| !too_long(agent));
    ours.map(|agent| agent.difference(acceptances)).collect()
}

/// Lists the subjects of the agents of the project around a folder.
pub(crate) fn subjects(folder: &Path) -> Vec<Result<AcceptanceSubject, AcceptanceError>> {
    // Which agents are accepted does not matter.
    let catalog = with_folders(AgentCatalog::new(), folder, &Acceptances::default());
    let catalog = catalog.unwrap_or_default();
    catalog.of_project().map(NamedAgent::subject).collect()
}
