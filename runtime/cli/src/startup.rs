//! Start-up: makes the context of a command from the app, the command line and the settings, in this order: files, settings,
//! tools, filters, skills, sandboxes, grants, MCP servers. A part is made only for the commands that use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::app::AppDefinition;
use super::app_context::{AppContext, make_session_state};
use super::app_tools::AppTools;
use super::assembly_error::AssemblyError;
use super::cli_client::CliClient;
use super::config::{Config, ConfigError};
use super::filters::{self, SourcedFilter};
use super::grants;
#[cfg(feature = "hooks")]
use super::hooks;
#[cfg(feature = "mcp")]
use super::mcp::{self, McpSession, ServerSelectionError};
use super::pack_settings::PackSettings;
use super::permissions;
use super::runtime::LazyRuntime;
use super::sandbox;
#[cfg(feature = "text-index")]
use super::session_folder;
#[cfg(feature = "session-search")]
use super::session_search;
#[cfg(feature = "skills")]
use super::skills;
use super::tool_network::ToolNetworks;
use helve_core::capability::Grants;
use helve_core::sandbox::SandboxFs;
#[cfg(feature = "skills")]
use helve_skill::{SkillCatalog, SkillLibrary};
#[cfg(feature = "mcp")]
use helve_terminal::output;

/// The commands that call tools, which may run commands of the machine.
const TOOL_COMMANDS: [&str; 6] = ["call", "chat", "demo", "resume", "run", "serve"];

/// The commands that run without settings if the settings cannot be read.
const SETTINGS_OPTIONAL: [&str; 16] = [
    "agents",
    "complete",
    "completions",
    "config",
    "doctor",
    "events",
    "hooks",
    "init",
    "jobs",
    "login",
    "logout",
    "mcp",
    "memory",
    "permissions",
    "sessions",
    "skills",
];

/// The reason why a command cannot start.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartupError {
    /// The app itself cannot be assembled.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    #[error(transparent)]
    Settings(#[from] ConfigError),
    #[cfg(feature = "skills")]
    #[error("failed to read the skill folders")]
    Runtime(#[from] std::io::Error),
    #[cfg(feature = "mcp")]
    #[error(transparent)]
    Mcp(#[from] ServerSelectionError),
    #[cfg(feature = "hooks")]
    #[error(transparent)]
    Hooks(#[from] hooks::HooksError),
}

/// Creates the context of a command, with its files below `root`.
pub(super) fn build_context(
    mut app: AppDefinition,
    root: &Path,
    command: &str,
    matches: &ArgMatches,
    runtime: &LazyRuntime,
) -> Result<AppContext, StartupError> {
    let (command, matches) = with_own_flags(command, matches);
    let files = open_files(root, &[]);
    let folder = folder(files.as_ref().ok().and_then(Option::as_ref), root);
    #[cfg(feature = "text-index")]
    session_folder::add_text_index(&mut app);
    #[cfg(feature = "session-search")]
    session_search::add_state(&mut app);
    let pack_settings = pack_settings(&app)?;
    let keys = pack_settings.keys();
    let settings = Config::load(keys, &folder, setting_flags(command, matches));
    let settings = pack_settings.insert_values(settings, &mut app.state);
    let mut context = assemble_context(app, files, folder, settings, &pack_settings)?;
    #[cfg(feature = "schedule")]
    super::schedules::grant(&mut context);
    #[cfg(feature = "skills")]
    let reads_skills = skills::reads_folders(&context.tools, command, matches);
    #[cfg(not(feature = "skills"))]
    let reads_skills = false;
    let is_strict = !SETTINGS_OPTIONAL.contains(&command);
    match context.settings {
        Err(error) if is_strict || (command == "skills" && reads_skills) => {
            return Err(error.into());
        }
        settings => context.settings = settings,
    }
    let Ok(config) = &context.settings else {
        return Ok(context);
    };
    let filters = match filters::read(context.package.name, config) {
        Err(error) if is_strict => return Err(error.into()),
        filters => filters.unwrap_or_default(),
    };
    context.tools.add_filters(filters);
    let opened = add_folders(&mut context);
    if is_strict {
        opened?;
    }
    #[cfg(feature = "skills")]
    if reads_skills {
        add_skills(&mut context, command, matches, runtime)?;
    }
    #[cfg(all(feature = "skills", debug_assertions))]
    if TOOL_COMMANDS.contains(&command) {
        skills::warn_outdated(&context.skills.current());
    }
    if TOOL_COMMANDS.contains(&command)
        && let Ok(config) = &context.settings
    {
        let sandboxes = context.sandbox_factory(config)?;
        let networks = ToolNetworks::read(config, &context.definition.network)?;
        grants::add(&mut context, &sandboxes, networks, command);
        #[cfg(feature = "hooks")]
        hooks::add(&mut context, &sandboxes, command, matches)?;
    }
    #[cfg(feature = "mcp")]
    add_servers(&mut context, command, matches, runtime)?;
    #[cfg(not(feature = "mcp"))]
    let _ = runtime;
    Ok(context)
}

/// Checks that the parts of an app fit together, and makes a context of them.
fn assemble_context(
    mut app: AppDefinition,
    files: Result<Option<Arc<dyn SandboxFs>>, AssemblyError>,
    folder: PathBuf,
    settings: Result<Config, ConfigError>,
    pack_settings: &PackSettings,
) -> Result<AppContext, AssemblyError> {
    #[cfg(feature = "skills")]
    let skills: Arc<SkillLibrary> =
        Arc::new(skills::embedded_catalog(app.package.name, &app.skills)?.into());
    // Tools that search folders skip the paths that the policy asks about.
    let config = settings.as_ref().ok();
    let dangerous = config.map(|config| permissions::dangerous_paths(&app, config, &folder));
    let dangerous = dangerous.and_then(Result::ok);
    app.state
        .insert(dangerous.unwrap_or_else(|| app.policy.dangerous_paths().clone()));
    let session = make_session_state(&app.session_state);
    if let Some(type_name) = app.state.overlap(&session) {
        return Err(AssemblyError::AmbiguousState { type_name });
    }
    let tools = tools(&app)?;
    // The settings that are missing are told by the tools.
    let reserved = pack_settings.reserved_state();
    tools
        .all()
        .check_state(&[&app.state, &session, &reserved])?;
    let grants = Grants {
        files: files?,
        ..Grants::default()
    };
    #[cfg(feature = "skills")]
    let tools = {
        let mut tools = tools;
        tools.set_skills(&skills)?;
        tools
    };
    #[cfg(all(feature = "models", feature = "text-index"))]
    if let Ok(config) = &settings {
        super::embedder::add_embeddings(config, &mut app.state);
    }
    #[cfg(feature = "memory")]
    let memory =
        super::app_memory::grant(app.package, &folder, settings.as_ref().ok(), &mut app.state);
    Ok(AppContext {
        package: app.package,
        client: Arc::new(CliClient::new(folder.clone())),
        folder,
        additional_folders: Vec::new(),
        settings,
        setting_keys: pack_settings.keys().clone(),
        tools,
        state: Arc::new(std::mem::take(&mut app.state)),
        grants,
        #[cfg(all(feature = "chat", feature = "files"))]
        file_tracker: None,
        #[cfg(feature = "skills")]
        skills,
        #[cfg(feature = "mcp")]
        mcp: None,
        #[cfg(feature = "memory")]
        memory,
        #[cfg(feature = "hooks")]
        hooks: None,
        #[cfg(feature = "hooks")]
        hook_base: None,
        definition: app,
    })
}

/// Adds the skills of folders. Commands that only show information continue without skills if the settings are
/// invalid.
#[cfg(feature = "skills")]
fn add_skills(
    context: &mut AppContext,
    command: &str,
    matches: &ArgMatches,
    runtime: &LazyRuntime,
) -> Result<(), StartupError> {
    let Ok(config) = &context.settings else {
        return Ok(());
    };
    // A disabled skill says what it asks for, too, when it is enabled.
    let is_enabling = command == "skills" && matches.subcommand_name() == Some("enable");
    let embedded = (*context.skills.current()).clone();
    let own = &context.definition.skill_settings;
    let (folder, tools) = (&context.folder, context.tools.granted());
    let read = || skills::read(embedded, own, config, folder, tools, is_enabling);
    let needs_skills = TOOL_COMMANDS.contains(&command) || command == "skills";
    let catalog = match runtime.block_on(read)? {
        Ok(catalog) => catalog,
        Err(error) if needs_skills => return Err(error.into()),
        Err(_) => return Ok(()),
    };
    let files = visible_files(context, &catalog);
    let skills: Arc<SkillLibrary> = Arc::new(catalog.into());
    match context.tools.set_skills(&skills) {
        Err(error) if needs_skills => return Err(error.into()),
        Err(_) => return Ok(()),
        Ok(()) => {}
    }
    context.grants.files = files;
    #[cfg(feature = "skill-install")]
    if let Some(manager) = skills::manager(&skills, config, folder) {
        #[cfg(feature = "schedule")]
        let manager = match super::schedules::of_skills(context, &skills) {
            Some(of_skills) => manager.triggers(Arc::new(of_skills)),
            None => manager,
        };
        context.tools.add_layered(&manager.into_toolset());
    }
    context.skills = skills;
    Ok(())
}

/// Returns the files without the folders of skills that must not be used.
#[cfg(all(feature = "skills", feature = "files"))]
fn visible_files(context: &AppContext, catalog: &SkillCatalog) -> Option<Arc<dyn SandboxFs>> {
    match skills::hidden_patterns(catalog) {
        hidden if hidden.is_empty() => context.grants.files.clone(),
        hidden => {
            let additional = context.additional_folders.iter().map(PathBuf::as_path);
            let folders: Vec<&Path> = std::iter::once(&*context.folder)
                .chain(additional)
                .collect();
            grants::files_without(&folders, &hidden)
        }
    }
}

#[cfg(all(feature = "skills", not(feature = "files")))]
fn visible_files(context: &AppContext, _: &SkillCatalog) -> Option<Arc<dyn SandboxFs>> {
    context.grants.files.clone()
}

/// Starts to connect to the MCP servers that a command uses, and adds their tools.
#[cfg(feature = "mcp")]
fn add_servers(
    context: &mut AppContext,
    command: &str,
    matches: &ArgMatches,
    runtime: &LazyRuntime,
) -> Result<(), StartupError> {
    let Ok(config) = &context.settings else {
        return Ok(());
    };
    let Some(usage) = mcp::select_servers(command, matches, context.tools.granted()) else {
        return Ok(());
    };
    let known = context.known_servers(config);
    let notes = known.notes(context.binary());
    notes.iter().for_each(|note| output::remark(note));
    let configs = usage.configs(&known, &context.tools)?;
    if configs.is_empty() {
        return Ok(());
    }
    let sandboxes = context.sandbox_factory(config)?;
    let servers = mcp::build_servers(context.package, configs, &sandboxes);
    let runtime = runtime.handle().map_err(ServerSelectionError::from)?;
    context.tools.add_layered(&servers.toolset());
    context.mcp = Some(McpSession::start(servers, &runtime));
    Ok(())
}

/// Returns the command that decides what is made, and its flags: work on jobs and on schedules is that of a run.
fn with_own_flags<'m>(command: &'m str, matches: &'m ArgMatches) -> (&'m str, &'m ArgMatches) {
    match (command, matches.subcommand()) {
        ("jobs", Some(("run", flags))) => ("run", flags),
        ("daemon", _) => ("run", matches),
        _ => (command, matches),
    }
}

fn setting_flags<'m>(command: &str, matches: &'m ArgMatches) -> &'m ArgMatches {
    match command {
        "config" | "mcp" | "permissions" | "schedule" | "skills" => {
            matches.subcommand().map_or(matches, |(_, flags)| flags)
        }
        _ => matches,
    }
}

/// Returns the tools of an app's package, packs and groups, with the filters of the app.
fn tools(app: &AppDefinition) -> Result<AppTools, AssemblyError> {
    let package = app.package.name;
    let filters = app.filters.iter().cloned();
    let filters = filters.map(|filter| SourcedFilter::from_app(package, filter));
    let groups = app.exposure.tools();
    AppTools::new(
        package,
        app.packs.iter().chain([&groups]),
        filters.collect(),
    )
}

fn pack_settings(app: &AppDefinition) -> Result<PackSettings, AssemblyError> {
    let groups = app.exposure.tools();
    let settings = PackSettings::from_packs(app.packs.iter().chain([&groups]))?;
    if !settings.is_empty() {
        let session = make_session_state(&app.session_state);
        settings.check_state(&[&app.state, &session])?;
    }
    Ok(settings)
}

/// Opens the folders of the settings beside the folder of the app.
fn add_folders(context: &mut AppContext) -> Result<(), StartupError> {
    let Ok(config) = &context.settings else {
        return Ok(());
    };
    let folders = sandbox::workspace_folders(config, &context.folder)?;
    if !folders.is_empty() && context.grants.files.is_some() {
        context.grants.files = open_files(&context.folder, &folders)?;
    }
    context.additional_folders = folders;
    Ok(())
}

/// Returns the folder that the tools may reach: as the file system names it where they reach files.
fn folder(files: Option<&Arc<dyn SandboxFs>>, root: &Path) -> PathBuf {
    let first = files.and_then(|files| files.roots().first());
    first.map_or_else(|| root.to_owned(), ToOwned::to_owned)
}

#[cfg(feature = "files")]
fn open_files(
    root: &Path,
    additional: &[PathBuf],
) -> Result<Option<Arc<dyn SandboxFs>>, AssemblyError> {
    let open = |folders: &[&Path]| helve_host::sandbox::LocalFs::with_roots(folders);
    let mut folders = vec![root];
    for folder in additional {
        // Each folder is opened by itself first, so that the error names the one that cannot be opened.
        open(&[folder]).map_err(|source| AssemblyError::Root {
            root: folder.clone(),
            source,
        })?;
        folders.push(folder);
    }
    match open(&folders) {
        Ok(files) => Ok(Some(Arc::new(files))),
        Err(source) => Err(AssemblyError::Root {
            root: root.to_owned(),
            source,
        }),
    }
}

#[cfg(not(feature = "files"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail with files")]
fn open_files(_: &Path, _: &[PathBuf]) -> Result<Option<Arc<dyn SandboxFs>>, AssemblyError> {
    Ok(None)
}

#[cfg(test)]
#[allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]
mod tests;
