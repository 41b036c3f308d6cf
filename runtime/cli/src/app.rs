//! The builder: what an app is made of.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

#[cfg(feature = "agents")]
use super::agent_settings::AgentSettings;
use super::context::CommandContext;
#[cfg(feature = "skills")]
use super::skills::SkillSettings;
use helve_agent::exposure::ToolExposure;
use helve_agent::hook::HookChain;
use helve_agent::{Guard, Hook, SystemPrompt};
#[cfg(feature = "agents")]
use helve_agents::{AgentSet, AgentSpec};
use helve_core::network::HostRules;
use helve_core::sandbox::SandboxPolicy;
use helve_core::tool::State;
use helve_core::toolset::{ToolFilter, Toolset};
use helve_model::Model;
use helve_permission::Policy;
use helve_remote::SandboxChoice;
use helve_results::reducer::{DuplicateReducer, Reducers, ResultReducer};
#[cfg(feature = "skills")]
use helve_skill::{SkillFilter, SkillSet};

/// The name of the agent of an app.
pub(crate) const MAIN_AGENT: &str = "main";

/// The builder of an app; [`app!`](macro@crate::app) creates one.
///
/// An app grants the linked tools of its own package and of the packs that are added with [`pack`](Self::pack), and no
/// other tools.
pub struct App {
    pub(super) definition: AppDefinition,
    pub(super) commands: Vec<AppCommand>,
}

/// The parts of an app without its commands.
pub(super) struct AppDefinition {
    pub(super) package: Package,
    pub(super) state: State,
    pub(super) session_state: Vec<SessionStateFactory>,
    pub(super) packs: Vec<Toolset>,
    pub(super) filters: Vec<ToolFilter>,
    #[cfg(feature = "skills")]
    pub(super) skills: Vec<&'static SkillSet>,
    #[cfg(feature = "skills")]
    pub(super) skill_settings: SkillSettings,
    #[cfg(feature = "agents")]
    pub(super) agents: AgentSettings,
    #[cfg(feature = "mcp")]
    pub(super) servers: Vec<helve_mcp::ServerConfig>,
    pub(super) prompt: SystemPrompt,
    pub(super) model: Option<Arc<dyn Model>>,
    /// The permission policy, without the settings.
    pub(super) policy: Policy,
    pub(super) hooks: HookChain,
    pub(super) guards: Vec<Arc<dyn Guard>>,
    pub(super) exposure: ToolExposure,
    pub(super) reducers: Reducers,
    /// The hosts that the tools may reach.
    pub(super) network: HostRules,
    pub(super) sandbox: Option<SandboxChoice>,
    pub(super) sandbox_settings: Vec<SandboxSettingsFn>,
    pub(super) demo: Option<&'static str>,
}

/// The cargo package of an app.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// The name of the package.
    pub name: &'static str,
    /// The version of the package.
    pub version: &'static str,
    /// The description of the package.
    pub description: &'static str,
    /// The name of the binary target, if there is one.
    pub binary: Option<&'static str>,
}

impl Package {
    /// Returns the name of the binary, or of the package if there is no binary target.
    pub(super) fn command_name(&self) -> &'static str {
        self.binary.unwrap_or(self.name)
    }
}

/// Creates one value of session state.
pub(super) type SessionStateFactory = Arc<dyn Fn(&mut State) + Send + Sync>;

pub(super) type SandboxSettingsFn = Box<dyn Fn(&mut SandboxPolicy) + Send + Sync>;

pub(super) struct AppCommand {
    pub(super) command: clap::Command,
    pub(super) handler: CommandHandler,
}

type CommandHandler = Box<dyn Fn(&clap::ArgMatches, &CommandContext) -> ExitCode>;

impl App {
    /// Creates an app for a package; [`app!`](macro@crate::app) fills in the package.
    #[must_use]
    pub fn new(package: Package) -> Self {
        let definition = AppDefinition {
            package,
            state: State::new(),
            session_state: Vec::new(),
            packs: Vec::new(),
            filters: Vec::new(),
            #[cfg(feature = "skills")]
            skills: Vec::new(),
            #[cfg(feature = "skills")]
            skill_settings: SkillSettings::default(),
            #[cfg(feature = "agents")]
            agents: AgentSettings::default(),
            #[cfg(feature = "mcp")]
            servers: Vec::new(),
            prompt: SystemPrompt::new(),
            model: None,
            policy: Policy::default(),
            hooks: HookChain::default(),
            guards: Vec::new(),
            exposure: ToolExposure::new(),
            reducers: Reducers::built_in(),
            network: HostRules::from_allowed(["*"]),
            sandbox: None,
            sandbox_settings: Vec::new(),
            demo: None,
        };
        Self {
            definition,
            commands: Vec::new(),
        }
    }

    /// Adds app state, which tools receive as `&T`.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.definition.state.insert(value);
        self
    }

    /// Adds shared app state, which may be of an unsized type: `.state_arc::<dyn Clock>(clock)`.
    #[must_use]
    pub fn state_arc<T: ?Sized + Any + Send + Sync>(mut self, value: Arc<T>) -> Self {
        self.definition.state.insert_arc(value);
        self
    }

    /// Adds app state that is created at its first use, so that for example `--help` does not open a database.
    #[must_use]
    pub fn state_with<T, E>(mut self, make: impl FnOnce() -> Result<T, E> + Send + 'static) -> Self
    where
        T: Any + Send + Sync,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.definition.state.insert_with(make);
        self
    }

    /// Adds session state: each session has its own value.
    #[must_use]
    pub fn session_state<T: Any + Send + Sync>(
        mut self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) -> Self {
        self.definition
            .session_state
            .push(Arc::new(move |state| state.insert(make())));
        self
    }

    /// Adds a hook inside the existing hooks. It runs around the turns of the agent and around each call of the model,
    /// of a client of `serve` and of the `call` command.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.definition.hooks.push(Arc::new(hook));
        self
    }

    /// Adds a guard after the existing ones. It checks the turns of the agent: `.guard(MaxLength::characters(2_000))`.
    #[must_use]
    pub fn guard(mut self, guard: impl Guard + 'static) -> Self {
        self.definition.guards.push(Arc::new(guard));
        self
    }

    /// Grants the tools of a pack: `.pack(helve::tools::files())`, `.pack(Database::toolset(database))`.
    #[must_use]
    pub fn pack(mut self, pack: Toolset) -> Self {
        self.definition.packs.push(pack);
        self
    }

    /// Grants only the tools that pass a filter, including the tools of MCP servers. Several filters apply together,
    /// and settings files can remove more tools. Other tools cannot be called; `tools --all` shows the reason.
    ///
    /// The app's own tools are the tools of its package, of helve, and the tools that the program creates at run time,
    /// unless the filter [changes that](ToolFilter::own_packages).
    ///
    /// ```no_run
    /// use helve::toolset::ToolFilter;
    ///
    /// # fn warehouse() -> helve::Toolset { helve::Toolset::empty() }
    /// helve::app!().pack(warehouse()).filter(ToolFilter::new().without(["sell_everything"]));
    /// ```
    #[must_use]
    pub fn filter(mut self, filter: ToolFilter) -> Self {
        self.definition.filters.push(filter);
        self
    }

    /// Adds the skills of another package. The skills of the app's own package are always included.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skills(mut self, skills: &'static SkillSet) -> Self {
        self.definition.skills.push(skills);
        self
    }

    /// Adds a folder of skills, which is read when the program runs: absolute, or below the root.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skill_folder(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.definition.skill_settings.folders.push(folder.into());
        self
    }

    /// Sets which skills the app uses; settings files can remove more skills. Other skills cannot be listed, loaded,
    /// read, run or accessed by path.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skill_filter(mut self, filter: &SkillFilter) -> Self {
        self.definition.skill_settings.filter = self.definition.skill_settings.filter.and(filter);
        self
    }

    /// Ignores the skill folders of the user and the project: `.agents/skills` and `.claude/skills`.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn embedded_skills_only(mut self) -> Self {
        self.definition.skill_settings.embedded_only = true;
        self
    }

    /// Adds an agent, to which the agent of the app may delegate tasks, and which `run --agent` starts.
    ///
    /// An agent file of the same name, in the binary or of the user or the project, replaces it.
    ///
    /// ```no_run
    /// use helve::agents::AgentSpec;
    ///
    /// let reviewer = AgentSpec::new("reviewer", "Reviews changes.").tools(["read_file", "grep"]);
    /// helve::app!().agent(reviewer);
    /// ```
    #[cfg(feature = "agents")]
    #[must_use]
    pub fn agent(mut self, spec: AgentSpec) -> Self {
        self.definition.agents.specs.push(spec);
        self
    }

    /// Adds the agents that another package embeds. Those of the app's own package are always included.
    #[cfg(feature = "agents")]
    #[must_use]
    pub fn agents(mut self, agents: &'static AgentSet) -> Self {
        self.definition.agents.sets.push(agents);
        self
    }

    /// Ignores the agent files of the user and the project: `.agents/agents` and `.claude/agents`.
    #[cfg(feature = "agents")]
    #[must_use]
    pub fn embedded_agents_only(mut self) -> Self {
        self.definition.agents.embedded_only = true;
        self
    }

    /// Adds an MCP server, in addition to the servers of the user's and the project's files.
    ///
    /// The tools of the server are not used before the user has approved them, unless its
    /// [trust](helve_mcp::ServerTrust::definitions) declares them approved by the app. A server of the same name in
    /// the user's settings replaces this one.
    ///
    /// ```no_run
    /// use helve::mcp::ServerConfig;
    ///
    /// # fn main() -> Result<(), helve::mcp::InvalidServerName> {
    /// let tickets = ServerConfig::http("tickets".parse()?, "https://tickets.example/mcp");
    /// helve::app!().mcp_server(tickets);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn mcp_server(mut self, server: helve_mcp::ServerConfig) -> Self {
        self.definition.servers.push(server);
        self
    }

    /// Sets the instructions of the agent.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.definition.prompt = self.definition.prompt.instructions(instructions);
        self
    }

    /// Sets the first part of the system prompt, for example company-wide instructions.
    #[must_use]
    pub fn prompt_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.definition.prompt = self.definition.prompt.prefix(prefix);
        self
    }

    /// Adds a value that may change to the end of the system prompt: `.context("Team", "payments")`.
    ///
    /// The working folder, the platform and the date are included by default; a value of the same name replaces them.
    #[must_use]
    pub fn context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.definition.prompt = self.definition.prompt.context(name, value);
        self
    }

    /// Sets the model of the agent.
    #[must_use]
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.definition.model = Some(Arc::new(model));
        self
    }

    /// Sets how tools are exposed to the model: in groups, and which tools if there are many.
    ///
    /// ```no_run
    /// use helve::Toolset;
    /// use helve::agent::exposure::{ToolExposure, ToolGroup};
    ///
    /// # fn warehouse() -> Toolset { Toolset::empty() }
    /// fn main() -> Result<std::process::ExitCode, helve::agent::exposure::GroupError> {
    ///     let stock = ToolGroup::new("stock", "What lies in the warehouse.").tools(warehouse()).off();
    ///     Ok(helve::app!().tool_exposure(ToolExposure::new().group(stock)?).main())
    /// }
    /// ```
    #[must_use]
    pub fn tool_exposure(mut self, exposure: ToolExposure) -> Self {
        self.definition.exposure = exposure;
        self
    }

    /// Replaces the [built-in reducers](Reducers::built_in), which shorten results before the model reads them:
    /// `Reducers::new()` has none. The key `reduce_results` of the settings turns all of them off.
    #[must_use]
    pub fn reducers(mut self, reducers: Reducers) -> Self {
        self.definition.reducers = reducers;
        self
    }

    /// Adds a reducer, which shortens the results of a tool before the model reads them.
    ///
    /// # Errors
    /// The tool already has a reducer; [`Reducers::without`] removes it.
    pub fn reducer(
        mut self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        self.definition.reducers = self.definition.reducers.with_reducer(tool, reducer)?;
        Ok(self)
    }

    /// Sets the permission policy of the agent's calls; the command line and rule files extend it.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.definition.policy = policy;
        self
    }

    /// Sets which hosts tools with `requires(net)` may reach. The default is all public hosts. For the hosts that
    /// commands may reach, see [`sandbox_policy`](Self::sandbox_policy).
    #[must_use]
    pub fn network(mut self, rules: HostRules) -> Self {
        self.definition.network = rules;
        self
    }

    /// Sets the sandbox that commands run in. It overrides `HELVE_SANDBOX` and settings files; `--sandbox` overrides
    /// it.
    #[must_use]
    pub fn sandbox(mut self, choice: SandboxChoice) -> Self {
        self.definition.sandbox = Some(choice);
        self
    }

    /// Changes the sandbox policy of commands. Settings files are applied after it.
    ///
    /// ```no_run
    /// helve::app!().sandbox_policy(|policy| policy.network.allow.push("crates.io".into()));
    /// ```
    #[must_use]
    pub fn sandbox_policy(
        mut self,
        settings: impl Fn(&mut SandboxPolicy) + Send + Sync + 'static,
    ) -> Self {
        self.definition.sandbox_settings.push(Box::new(settings));
        self
    }

    /// Sets the recorded conversation that the `demo` command plays with the real tools of the app. The command refuses to
    /// play it where the `files` of the [recording](helve_model::Recording) are missing.
    #[must_use]
    pub fn demo(mut self, recording: &'static str) -> Self {
        self.definition.demo = Some(recording);
        self
    }

    /// Adds a subcommand of the app's own, which replaces a built-in one of the same name.
    #[must_use]
    pub fn command(
        mut self,
        command: clap::Command,
        handler: impl Fn(&clap::ArgMatches, &CommandContext) -> ExitCode + 'static,
    ) -> Self {
        self.commands.push(AppCommand {
            command,
            handler: Box::new(handler),
        });
        self
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("package", &self.definition.package)
            .field("state", &self.definition.state)
            .finish_non_exhaustive()
    }
}
