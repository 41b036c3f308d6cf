//! The context of a command: the app with the settings, tools, skills and capabilities that start-up made for it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;

use super::app::{AppDefinition, Package, SessionStateFactory};
#[cfg(feature = "memory")]
use super::app_memory::AppMemory;
use super::app_tools::AppTools;
use super::cli_client::CliClient;
use super::config::{Config, ConfigError, KeySet};
#[cfg(feature = "mcp")]
use super::mcp::{KnownServers, McpSession};
use super::sandbox::{SandboxFactory, SandboxSource};
use super::{acceptance, permissions};
use helve_core::capability::Grants;
use helve_core::tool::{Principal, State, ToolContext};
#[cfg(feature = "hooks")]
use helve_hooks::CommandHooks;
#[cfg(all(feature = "chat", feature = "files"))]
use helve_host::file_history::FileTracker;
use helve_permission::Policy;
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;
use helve_terminal::output;

/// An app that is ready to run a command. Start-up makes it, and nothing changes it afterwards.
pub(super) struct AppContext {
    /// What the app is made of; its state is in `state`.
    pub(super) definition: AppDefinition,
    pub(super) package: Package,
    /// The folder that the tools may reach, as the file system names it where they reach files.
    pub(super) folder: PathBuf,
    /// The folders of the settings that the tools may reach, too.
    pub(super) additional_folders: Vec<PathBuf>,
    pub(super) settings: Result<Config, ConfigError>,
    /// The keys that the settings may have.
    pub(super) setting_keys: KeySet,
    pub(super) tools: AppTools,
    pub(super) state: Arc<State>,
    pub(super) grants: Grants,
    /// Records the changes of files in a chat, where the files are on this machine.
    #[cfg(all(feature = "chat", feature = "files"))]
    pub(super) file_tracker: Option<FileTracker>,
    #[cfg(feature = "skills")]
    pub(super) skills: Arc<SkillLibrary>,
    /// The connections to the MCP servers that the command uses.
    #[cfg(feature = "mcp")]
    pub(super) mcp: Option<McpSession>,
    /// The memory, if there is a folder for it.
    #[cfg(feature = "memory")]
    pub(super) memory: Option<AppMemory>,
    /// The hooks of the user and the project that the command runs, if there are any.
    #[cfg(feature = "hooks")]
    pub(super) hooks: Option<CommandHooks>,
    /// The same hooks, or none: what those of agent files share the sandboxes and the session with. `None` if the command
    /// runs no hooks.
    #[cfg(feature = "hooks")]
    pub(super) hook_base: Option<CommandHooks>,
    /// Answers requests of tools and MCP servers to the user.
    pub(super) client: Arc<CliClient>,
}

impl AppContext {
    /// Returns the settings, and prints a note if the project file is not accepted.
    pub(super) fn settings_with_notes(&self) -> Result<&Config, &ConfigError> {
        let config = self.settings.as_ref()?;
        if let Some(unaccepted) = config.unaccepted() {
            output::remark(&acceptance::trust_hint(unaccepted, self.binary()));
        }
        Ok(config)
    }

    /// Creates the context of the calls of a session.
    pub(super) fn tool_context(&self) -> ToolContext {
        self.tool_contexts()()
    }

    /// Returns what creates the contexts of sessions, each with a state of its own.
    pub(super) fn tool_contexts(&self) -> impl Fn() -> ToolContext + Send + Sync + use<> {
        let (app, grants) = (self.state.clone(), self.grants.clone());
        let (state, principal) = (self.definition.session_state.clone(), self.principal());
        move || {
            ToolContext::builder()
                .app(app.clone())
                .session_state(Arc::new(make_session_state(&state)))
                .grants(grants.clone())
                .principal(principal.clone())
                .build()
        }
    }

    /// Returns the principal of the calls of this command line.
    pub(super) fn principal(&self) -> Principal {
        let principal = Principal::default().with_platform("cli");
        let config = self.settings.as_ref().ok();
        let team = config.and_then(|config| config.text(&["principal", "team"]).ok()?);
        match team {
            Some(team) => principal.with_team(team.value),
            None => principal,
        }
    }

    pub(super) fn policy(
        &self,
        config: &Config,
        matches: &ArgMatches,
    ) -> Result<Policy, ConfigError> {
        permissions::policy(&self.definition, &self.folder, config, matches)
    }

    /// Makes the factory of the sandboxes that commands of the machine run in: of the app, and of the given settings.
    pub(super) fn sandbox_factory(&self, config: &Config) -> Result<SandboxFactory, ConfigError> {
        SandboxFactory::new(SandboxSource {
            config,
            folder: &self.folder,
            app: &self.definition,
            #[cfg(feature = "skills")]
            hidden: super::skills::hidden_folders(&self.skills.current()),
            #[cfg(feature = "mcp")]
            protected: self.known_servers(config).program_folders(&self.folder),
        })
    }

    /// Reads the MCP servers that the app, the given settings and the project's `.mcp.json` name.
    #[cfg(feature = "mcp")]
    pub(super) fn known_servers(&self, config: &Config) -> KnownServers {
        KnownServers::read(&self.definition.servers, config, &self.folder)
    }

    pub(super) fn binary(&self) -> &'static str {
        self.package.command_name()
    }

    /// Renders the folder that the tools may reach.
    pub(super) fn folder_text(&self) -> String {
        self.folder.display().to_string()
    }
}

impl fmt::Debug for AppContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppContext")
            .field("package", &self.package.name)
            .field("toolset", self.tools.granted())
            .finish_non_exhaustive()
    }
}

pub(super) fn make_session_state(make: &[SessionStateFactory]) -> State {
    let mut state = State::new();
    for make in make {
        make(&mut state);
    }
    state
}
