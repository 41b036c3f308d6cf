//! The catalogue of the agents of an app: of its code, its binary, the user and the project.

use std::path::Path;

use crate::app::AppDefinition;
use crate::bundles;
use helve_agents::AgentCatalog;
use helve_permission::acceptances::{AcceptanceError, Acceptances};

/// Reads the agents of the app, the user and the project around a folder, with what the user has accepted.
pub(crate) fn read(
    app: &AppDefinition,
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<AgentCatalog, AcceptanceError> {
    let own = &app.agents;
    let embedded = AgentCatalog::for_packages(&[app.package.name]);
    let sets = own.sets.iter().copied();
    let catalog = sets.fold(embedded, AgentCatalog::with_set);
    let specs = own.specs.iter().cloned();
    let catalog = specs.fold(catalog, AgentCatalog::with_spec);
    if own.embedded_only {
        return Ok(catalog);
    }
    with_folders(catalog, folder, acceptances)
}

/// Adds the agents of the user and of the project around a folder.
pub(crate) fn with_folders(
    catalog: AgentCatalog,
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<AgentCatalog, AcceptanceError> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let catalog = catalog.with_bundle_paths(&bundles::agent_paths());
    catalog.with_folders(folder, home.as_deref(), acceptances)
}
