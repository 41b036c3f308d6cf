//! The hooks of agent files, which hold in their agent alone.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use crate::app_context::AppContext;
use crate::hook_files::HooksError;
use crate::{acceptance, agent_catalog, hook_scripts};
use helve_agent::Agent;
use helve_agents::{AgentCatalog, NamedAgent};
use helve_core::support::lock::Mutex;
use helve_hooks::{HookScope, HookSettings, ProjectHooks};
use helve_permission::acceptances::Acceptances;
use helve_permission::{Policy, Rule, Rules};
use helve_terminal::output;

/// Adds the hooks of its file to an agent, whose policy is given. An agent whose hooks cannot be read makes no calls.
pub(crate) fn add_of_agent(
    app: &AppContext,
    agent: Agent,
    named: &NamedAgent,
    policy: &Policy,
) -> Agent {
    let Some(base) = &app.hook_base else {
        return agent;
    };
    match in_force(app, named) {
        Ok(settings) => {
            for note in settings.notes() {
                remark_once(&note.to_string());
            }
            if settings.handlers().is_empty() {
                return agent;
            }
            let hooks = base.for_agent(settings);
            agent.hook(hooks.clone()).guard(hooks)
        }
        Err(error) => {
            output::error(&error);
            let nothing = Rules::new().deny(Rule::tool("*"));
            agent.policy(policy.clone().rules(nothing))
        }
    }
}

/// Prints a remark on an agent file, once: the agents are made anew for each turn.
fn remark_once(remark: &str) {
    static PRINTED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let is_new = PRINTED.lock().insert(remark.to_owned());
    if is_new {
        output::remark(remark);
    }
}

/// Returns the hooks of an agent: those of a project as far as the user has accepted them.
fn in_force(app: &AppContext, agent: &NamedAgent) -> Result<HookSettings, HooksError> {
    match project_hooks(&app.folder, agent)? {
        Some(hooks) => {
            let command = format!("{} permissions trust", app.binary());
            Ok(hooks.in_force(&acceptance::user_store(), &command)?)
        }
        None => Ok(hook_scripts::read_of_agent(agent, HookScope::User)?),
    }
}

/// Returns the hooks of the file of an agent of the project; `None` for another agent.
fn project_hooks(folder: &Path, agent: &NamedAgent) -> Result<Option<ProjectHooks>, HooksError> {
    let Some(file) = agent.origin().path().filter(|_| agent.is_of_project()) else {
        return Ok(None);
    };
    let settings = hook_scripts::read_of_agent(agent, HookScope::Project)?;
    let hooks = ProjectHooks::new(file, agent.levels(), folder, settings);
    Ok(Some(hooks))
}

/// Returns the hooks of the agent files of the project around a folder.
pub(super) fn of_project(folder: &Path) -> Result<Vec<ProjectHooks>, HooksError> {
    // Which agents are accepted does not matter.
    let catalog = AgentCatalog::new();
    let catalog = agent_catalog::with_folders(catalog, folder, &Acceptances::default())?;
    let mut all = Vec::new();
    for agent in catalog.of_project() {
        all.extend(project_hooks(folder, agent)?);
    }
    Ok(all)
}
