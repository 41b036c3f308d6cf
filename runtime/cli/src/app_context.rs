//! The context of a command: the app with the settings, tools, skills and capabilities that start-up made for it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::app::{Package, SandboxSettingsFn, SessionStateFactory};
use super::app_tools::AppTools;
use super::cli_client::CliClient;
use super::config::{Config, ConfigError, KeySet};
#[cfg(feature = "mcp")]
use super::mcp::{KnownServers, McpSession};
use super::permissions::PolicySource;
use super::sandbox::{SandboxFactory, SandboxSource};
use super::{output, sanitize};
use helve_agent::SystemPrompt;
use helve_agent::exposure::ToolExposure;
use helve_agent::hook::HookChain;
use helve_core::capability::Grants;
use helve_core::network::HostRules;
use helve_core::tool::{State, ToolContext};
#[cfg(feature = "mcp")]
use helve_mcp::ServerConfig;
use helve_model::Model;
use helve_permission::Policy;
use helve_remote::SandboxChoice;
use helve_results::reducer::Reducers;
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;

/// An app that is ready to run a command. Start-up makes it, and nothing changes it afterwards.
pub(super) struct AppContext {
    pub(super) package: Package,
    /// The folder that the tools may reach, as the file system names it where they reach files.
    pub(super) folder: PathBuf,
    pub(super) settings: Result<Config, ConfigError>,
    /// The keys that the settings may have.
    pub(super) setting_keys: KeySet,
    pub(super) tools: AppTools,
    pub(super) state: Arc<State>,
    pub(super) session_state: Vec<SessionStateFactory>,
    pub(super) grants: Grants,
    #[cfg(feature = "skills")]
    pub(super) skills: Arc<SkillLibrary>,
    /// The MCP servers that the app adds.
    #[cfg(feature = "mcp")]
    pub(super) own_servers: Vec<ServerConfig>,

    /// The connections to the MCP servers that the command uses.
    #[cfg(feature = "mcp")]
    pub(super) mcp: Option<McpSession>,
    /// Answers requests of tools and MCP servers to the user.
    pub(super) client: Arc<CliClient>,
    /// The system prompt of the app.
    pub(super) prompt: SystemPrompt,
    pub(super) model: Option<Arc<dyn Model>>,
    /// The permission policy of the app, without the settings.
    pub(super) policy: Policy,
    /// The hooks of the app around turns and calls.
    pub(super) hooks: HookChain,
    /// How tools are exposed to the model.
    pub(super) exposure: ToolExposure,
    /// The reducers, which shorten results.
    pub(super) reducers: Reducers,
    /// The hosts that the tools may reach.
    pub(super) network: HostRules,
    /// The sandbox that the app selects.
    pub(super) sandbox: Option<SandboxChoice>,
    pub(super) sandbox_settings: Vec<SandboxSettingsFn>,
    pub(super) demo: Option<&'static str>,
}

impl AppContext {
    /// Returns the settings; the commands that run without them handle the error.
    pub(super) fn settings(&self) -> Result<&Config, &ConfigError> {
        self.settings.as_ref()
    }

    /// Returns the settings, and prints a note if the project file is not accepted.
    pub(super) fn settings_with_notes(&self) -> Result<&Config, &ConfigError> {
        let config = self.settings()?;
        if let Some(unaccepted) = config.unaccepted() {
            let text = format!(
                "note: {unaccepted}; run `{} permissions trust` to review and accept the file",
                self.binary()
            );
            output::note(&sanitize::one_line(&text));
        }
        Ok(config)
    }

    /// Creates the context of the calls of a session.
    pub(super) fn tool_context(&self) -> ToolContext {
        ToolContext::builder()
            .app(self.state.clone())
            .session_state(Arc::new(make_session_state(&self.session_state)))
            .grants(self.grants.clone())
            .build()
    }

    /// Returns the sources of a command's policy, in addition to the settings.
    pub(super) fn policy_source(&self) -> PolicySource<'_> {
        PolicySource {
            app_policy: &self.policy,
            network: &self.network,
            folder: &self.folder,
            binary: self.binary(),
        }
    }

    /// Makes the factory of the sandboxes that commands of the machine run in: of the app, and of the given settings.
    pub(super) fn sandbox_factory(&self, config: &Config) -> Result<SandboxFactory, ConfigError> {
        SandboxFactory::new(SandboxSource {
            config,
            folder: &self.folder,
            app_choice: self.sandbox.as_ref(),
            settings: &self.sandbox_settings,
            #[cfg(feature = "skills")]
            hidden: super::skills::hidden_folders(&self.skills.current()),
            #[cfg(feature = "mcp")]
            protected: self.known_servers(config).program_folders(&self.folder),
        })
    }

    /// Reads the MCP servers that the app, the given settings and the project's `.mcp.json` name.
    #[cfg(feature = "mcp")]
    pub(super) fn known_servers(&self, config: &Config) -> KnownServers {
        KnownServers::read(&self.own_servers, config, &self.folder)
    }

    /// Returns the name of the binary, or of the package if there is no binary target.
    pub(super) fn binary(&self) -> &'static str {
        self.package.command_name()
    }

    /// Returns the folder that the tools may reach.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
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

/// Creates the state of a session.
pub(super) fn make_session_state(make: &[SessionStateFactory]) -> State {
    let mut state = State::new();
    for make in make {
        make(&mut state);
    }
    state
}
