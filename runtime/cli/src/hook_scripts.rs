//! The scripts that hooks of the user and of agents run.

use std::path::Path;

use crate::app::AppDefinition;
use crate::code_files;
use crate::hook_files;
use helve_hooks::HookSettings;
use helve_permission::DangerousPathSetting;
#[cfg(feature = "agents")]
use {
    crate::agent_catalog,
    helve_agents::NamedAgent,
    helve_hooks::{HookScope, HookSettingsError},
    helve_permission::acceptances::Acceptances,
};

/// Returns the files of a project that the hooks of the user and of agents run, as paths whose changes need approval: the
/// tools would decide otherwise what the hooks decide, or run code outside of the sandbox. The hooks of the project are
/// accepted with the content of their files.
pub(crate) fn dangerous_paths(app: &AppDefinition, folder: &Path) -> Vec<DangerousPathSetting> {
    let mut hooks = hook_files::of_user();
    hooks.extend(of_agents(app, folder));
    let scripts = hooks.iter().flat_map(|hooks| hooks.script_files(folder));
    let scripts = scripts.filter(|file| file.starts_with(folder) && is_program(file));
    let settings = scripts.filter_map(|file| {
        let text = "SCRIPT reading=open writing=always why=a hook of your settings runs it";
        let mut setting: DangerousPathSetting = text.parse().ok()?;
        // A path may have blanks, which the syntax of a setting does not.
        setting.pattern = file.to_string_lossy().into_owned();
        Some(setting)
    });
    settings.collect()
}

fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = file.metadata();
        if metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0) {
            return true;
        }
    }
    code_files::is_code(file)
}

/// Returns the hooks of the agents of the app and the user, those that are not used as well. An agent whose hooks cannot be
/// read makes no calls.
pub(crate) fn of_agents(app: &AppDefinition, folder: &Path) -> Vec<HookSettings> {
    #[cfg(feature = "agents")]
    if let Ok(catalog) = agent_catalog::read(app, folder, &Acceptances::default()) {
        let unused = catalog.unused().map(|(agent, _)| agent);
        let all = catalog.agents().iter().chain(unused);
        let own = all.filter(|agent| !agent.is_of_project());
        let hooks = own.filter_map(|agent| read_of_agent(agent, HookScope::User).ok());
        return hooks.collect();
    }
    let _ = (app, folder);
    Vec::new()
}

/// Reads the hooks of the file of an agent.
#[cfg(feature = "agents")]
pub(crate) fn read_of_agent(
    agent: &NamedAgent,
    scope: HookScope,
) -> Result<HookSettings, HookSettingsError> {
    let Some(hooks) = &agent.spec().hooks else {
        return Ok(HookSettings::new());
    };
    let name = Path::new(&agent.spec().name);
    let file = agent.origin().path().unwrap_or(name);
    let line = agent.line_of("hooks");
    HookSettings::from_agent_file(hooks, file, line, scope)
}
