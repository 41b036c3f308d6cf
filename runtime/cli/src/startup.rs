//! Start-up: makes the context of a command from the app, the command line and the settings, in this order: files, settings,
//! tools, filters, skills, sandboxes, grants, MCP servers. A part is made only for the commands that use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;

use super::app::App;
use super::app_context::{AppContext, make_session_state};
use super::app_tools::AppTools;
use super::assembly_error::AssemblyError;
use super::cli_client::CliClient;
use super::config::{Config, ConfigError, KeySet};
use super::filters::{self, SourcedFilter};
use super::grants::{self, GrantSource};
#[cfg(feature = "mcp")]
use super::mcp::{self, McpSession, ServerSelectionError};
use super::pack_settings::PackSettings;
use super::permissions;
use super::runtime::LazyRuntime;
#[cfg(feature = "skills")]
use super::skills;
use helve_core::capability::Grants;
use helve_core::sandbox::SandboxFs;
#[cfg(feature = "skills")]
use helve_skill::{SkillCatalog, SkillLibrary};

/// The commands that call tools, which may run commands of the machine.
const TOOL_COMMANDS: [&str; 6] = ["call", "chat", "demo", "resume", "run", "serve"];

/// The commands that run without settings if the settings cannot be read.
const SETTINGS_OPTIONAL: [&str; 8] = [
    "completions",
    "config",
    "doctor",
    "events",
    "mcp",
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
    /// The runtime cannot be built.
    #[cfg(feature = "skills")]
    #[error("failed to read the skill folders")]
    Runtime(#[from] std::io::Error),
    #[cfg(feature = "mcp")]
    #[error(transparent)]
    Mcp(#[from] ServerSelectionError),
}

/// Creates the context of a command, with its files below `root`.
pub(super) fn build_context(
    mut app: App,
    root: &Path,
    command: &str,
    matches: &ArgMatches,
    runtime: &LazyRuntime,
) -> Result<AppContext, StartupError> {
    let files = open_files(root);
    let folder = folder(files.as_ref().ok().and_then(Option::as_ref), root);
    let pack_settings = pack_settings(&app)?;
    let keys = pack_settings.keys();
    let settings = Config::load(keys, &folder, setting_flags(command, matches));
    let settings = pack_settings.insert_values(settings, &mut app.state);
    let base = ContextBuilder::new(app, files, folder, settings.as_ref().ok(), &pack_settings)?;
    #[cfg(feature = "skills")]
    let reads_skills = skills::reads_folders(&base.tools, command, matches);
    #[cfg(not(feature = "skills"))]
    let reads_skills = false;
    let is_strict = !SETTINGS_OPTIONAL.contains(&command);
    let settings = match settings {
        Err(error) if is_strict || (command == "skills" && reads_skills) => {
            return Err(error.into());
        }
        settings => settings,
    };
    let Ok(config) = &settings else {
        return Ok(base.into_context(settings));
    };
    let filters = match filters::read(base.app.package.name, config) {
        Err(error) if is_strict => return Err(error.into()),
        filters => filters.unwrap_or_default(),
    };
    let base = base.with_filters(filters);
    #[cfg(feature = "skills")]
    let base = if reads_skills {
        base.with_skills(config, command, runtime)?
    } else {
        base
    };
    #[cfg(all(feature = "skills", debug_assertions))]
    if TOOL_COMMANDS.contains(&command) {
        skills::warn_outdated(&base.skills.current());
    }
    let context = with_grants(base.into_context(settings), command)?;
    #[cfg(feature = "mcp")]
    let context = with_servers(context, command, matches, runtime)?;
    #[cfg(not(feature = "mcp"))]
    let _ = runtime;
    Ok(context)
}

/// Adds the grants of the commands that call tools.
fn with_grants(context: AppContext, command: &str) -> Result<AppContext, ConfigError> {
    let Some(config) = context
        .settings()
        .ok()
        .filter(|_| TOOL_COMMANDS.contains(&command))
    else {
        return Ok(context);
    };
    let grants = grants::make(GrantSource {
        package: context.package,
        files: context.grants.files.clone(),
        client: context.client.clone(),
        tools: context.tools.granted(),
        network: &context.network,
        sandboxes: &context.sandbox_factory(config)?,
    });
    Ok(AppContext { grants, ..context })
}

/// Starts to connect to the MCP servers that a command uses, and adds their tools.
#[cfg(feature = "mcp")]
fn with_servers(
    context: AppContext,
    command: &str,
    matches: &ArgMatches,
    runtime: &LazyRuntime,
) -> Result<AppContext, StartupError> {
    let Ok(config) = context.settings() else {
        return Ok(context);
    };
    let Some(usage) = mcp::select_servers(command, matches, context.tools.granted()) else {
        return Ok(context);
    };
    let known = context.known_servers(config);
    known.print_notes(context.binary());
    let configs = usage.configs(&known, &context.tools)?;
    if configs.is_empty() {
        return Ok(context);
    }
    let sandboxes = context.sandbox_factory(config)?;
    let servers = mcp::build_servers(context.package, configs, &sandboxes);
    let runtime = runtime.handle().map_err(ServerSelectionError::from)?;
    Ok(AppContext {
        tools: context.tools.clone().with_servers(&servers.toolset()),
        mcp: Some(McpSession::start(servers, &runtime)),
        ..context
    })
}

/// Returns the flags of a command that may set settings.
fn setting_flags<'m>(command: &str, matches: &'m ArgMatches) -> &'m ArgMatches {
    match command {
        "config" | "mcp" | "permissions" => {
            matches.subcommand().map_or(matches, |(_, flags)| flags)
        }
        _ => matches,
    }
}

/// An app on its way to a context: each step returns it with one more part.
struct ContextBuilder {
    app: App,
    folder: PathBuf,
    setting_keys: KeySet,
    tools: AppTools,
    grants: Grants,
    client: Arc<CliClient>,
    #[cfg(feature = "skills")]
    skills: Arc<SkillLibrary>,
}

impl ContextBuilder {
    /// Checks that the parts of an app fit together.
    fn new(
        mut app: App,
        files: Result<Option<Arc<dyn SandboxFs>>, AssemblyError>,
        folder: PathBuf,
        config: Option<&Config>,
        pack_settings: &PackSettings,
    ) -> Result<Self, AssemblyError> {
        #[cfg(feature = "skills")]
        let skills: Arc<SkillLibrary> =
            Arc::new(skills::embedded_catalog(app.package.name, &app.skills)?.into());
        // Tools that search folders skip the paths that the policy asks about.
        let dangerous = config.map(|config| permissions::dangerous_paths(&app.policy, config));
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
        let tools = tools.with_skills(&skills)?;
        Ok(Self {
            client: Arc::new(CliClient::new(folder.clone())),
            app,
            folder,
            setting_keys: pack_settings.keys().clone(),
            tools,
            grants,
            #[cfg(feature = "skills")]
            skills,
        })
    }

    fn with_filters(self, filters: Vec<SourcedFilter>) -> Self {
        Self {
            tools: self.tools.with_filters(filters),
            ..self
        }
    }

    /// Adds the skills of folders. Commands that only show information continue without skills if the settings are
    /// invalid.
    #[cfg(feature = "skills")]
    fn with_skills(
        self,
        config: &Config,
        command: &str,
        runtime: &LazyRuntime,
    ) -> Result<Self, StartupError> {
        let embedded = (*self.skills.current()).clone();
        let own = &self.app.skill_settings;
        let (folder, tools) = (&self.folder, self.tools.granted());
        let read = || skills::read(embedded, own, config, folder, tools);
        let needs_skills = TOOL_COMMANDS.contains(&command) || command == "skills";
        let catalog = match runtime.block_on(read)? {
            Ok(catalog) => catalog,
            Err(error) if needs_skills => return Err(error.into()),
            Err(_) => return Ok(self),
        };
        let files = self.visible_files(&catalog);
        let skills: Arc<SkillLibrary> = Arc::new(catalog.into());
        let tools = match self.tools.clone().with_skills(&skills) {
            Ok(tools) => tools,
            Err(error) if needs_skills => return Err(error.into()),
            Err(_) => return Ok(self),
        };
        Ok(Self {
            tools,
            grants: Grants {
                files,
                ..self.grants
            },
            skills,
            ..self
        })
    }

    /// Returns the files without the folders of skills that must not be used.
    #[cfg(all(feature = "skills", feature = "files"))]
    fn visible_files(&self, catalog: &SkillCatalog) -> Option<Arc<dyn SandboxFs>> {
        match skills::hidden_patterns(catalog) {
            hidden if hidden.is_empty() => self.grants.files.clone(),
            hidden => grants::files_without(&self.folder, &hidden),
        }
    }

    #[cfg(all(feature = "skills", not(feature = "files")))]
    fn visible_files(&self, _: &SkillCatalog) -> Option<Arc<dyn SandboxFs>> {
        self.grants.files.clone()
    }

    fn into_context(self, settings: Result<Config, ConfigError>) -> AppContext {
        let app = self.app;
        AppContext {
            package: app.package,
            folder: self.folder,
            settings,
            setting_keys: self.setting_keys,
            tools: self.tools,
            state: Arc::new(app.state),
            session_state: app.session_state,
            grants: self.grants,
            #[cfg(feature = "skills")]
            skills: self.skills,
            #[cfg(feature = "mcp")]
            own_servers: app.servers,
            #[cfg(feature = "mcp")]
            mcp: None,
            client: self.client,
            prompt: app.prompt,
            model: app.model,
            policy: app.policy,
            hooks: app.hooks,
            exposure: app.exposure,
            reducers: app.reducers,
            network: app.network,
            sandbox: app.sandbox,
            sandbox_settings: app.sandbox_settings,
            demo: app.demo,
        }
    }
}

/// Returns the tools of an app's package, packs and groups, with the filters of the app.
fn tools(app: &App) -> Result<AppTools, AssemblyError> {
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

/// Returns the settings that the packs and groups of an app declare.
fn pack_settings(app: &App) -> Result<PackSettings, AssemblyError> {
    let groups = app.exposure.tools();
    let settings = PackSettings::from_packs(app.packs.iter().chain([&groups]))?;
    if !settings.is_empty() {
        let session = make_session_state(&app.session_state);
        settings.check_state(&[&app.state, &session])?;
    }
    Ok(settings)
}

/// Returns the folder that the tools may reach: as the file system names it where they reach files.
fn folder(files: Option<&Arc<dyn SandboxFs>>, root: &Path) -> PathBuf {
    let first = files.and_then(|files| files.roots().first());
    first.map_or_else(|| root.to_owned(), ToOwned::to_owned)
}

#[cfg(feature = "files")]
fn open_files(root: &Path) -> Result<Option<Arc<dyn SandboxFs>>, AssemblyError> {
    match helve_host::sandbox::LocalFs::new(root) {
        Ok(files) => Ok(Some(Arc::new(files))),
        Err(source) => Err(AssemblyError::Root {
            root: root.to_owned(),
            source,
        }),
    }
}

#[cfg(not(feature = "files"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail with files")]
fn open_files(_: &Path) -> Result<Option<Arc<dyn SandboxFs>>, AssemblyError> {
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
