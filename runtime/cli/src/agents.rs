//! The agents of an app by their names: of its code, its binary, the user and the project.

mod acceptance;

use crate::acceptance as accepted;
use crate::agent_catalog;
use crate::app_context::AppContext;
use crate::config::{Config, ConfigError};
use helve_agent::turn::Bounds;
use helve_agents::{AgentCatalog, AgentModel, AgentSpec, ModelNames, NamedAgent, SessionAuthority};
use helve_permission::Policy;
use helve_permission::acceptances::AcceptanceError;

pub(crate) use acceptance::{differences, subjects};

/// Reads the agents of the app, the user and the project.
pub(crate) fn read(app: &AppContext) -> Result<AgentCatalog, AcceptanceError> {
    agent_catalog::read(&app.definition, &app.folder, &accepted::user_store())
}

/// Returns the names of models in agent files.
pub(crate) fn model_names(config: &Config) -> Result<ModelNames, ConfigError> {
    let mut names = ModelNames::new();
    for name in config.table_keys(&["agents", "models"]) {
        if let Some(meaning) = config.text(&["agents", "models", name])? {
            names = names.with(name, meaning.value);
        }
    }
    Ok(names)
}

/// Says what an agent names that this program does not have: tools, groups and models.
pub(crate) fn notes(app: &AppContext, spec: &AgentSpec) -> Vec<String> {
    let (policy, bounds) = (Policy::default(), Bounds::new(1));
    let resolved = spec.resolve(&SessionAuthority {
        tools: app.tools.granted(),
        policy: &policy,
        bounds: &bounds,
    });
    let mut notes = resolved.notes().to_vec();
    if let Some(name) = &spec.model
        && find_model(app, name).is_none()
    {
        notes.push(unknown_model(name));
    }
    notes
}

/// Returns the name that a note of [`notes`] is about: the first one in backticks.
pub(crate) fn name_in(note: &str) -> &str {
    note.split('`').nth(1).unwrap_or_default()
}

/// Returns what an agent names that this program does not have, with the line of its file.
pub(crate) fn notes_with_lines(app: &AppContext, agent: &NamedAgent) -> Vec<String> {
    let notes = notes(app, agent.spec()).into_iter();
    let notes = notes.map(|note| match agent.line_of_name(name_in(&note)) {
        Some(line) => format!("line {line}: {note}"),
        None => note,
    });
    notes.collect()
}

/// Finds the model of a name; `None` if the name is unknown.
pub(crate) fn find_model(app: &AppContext, name: &str) -> Option<AgentModel> {
    let config = app.settings.as_ref().ok();
    let names = config.and_then(|config| model_names(config).ok());
    names.unwrap_or_default().find(name)
}

/// Says that the name of a model is unknown.
pub(crate) fn unknown_model(name: &str) -> String {
    format!(
        "the model `{name}` is unknown, and the model of the session is used: set `agents.models.\"{name}\"`"
    )
}
