//! The builder: what an app is made of.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use super::context::CommandContext;
#[cfg(feature = "skills")]
use super::skills::SkillSettings;
use helve_agent::exposure::ToolExposure;
use helve_agent::hook::HookChain;
use helve_agent::{Hook, SystemPrompt};
use helve_core::network::HostRules;
use helve_core::sandbox::{SandboxChoice, SandboxPolicy};
use helve_core::tool::State;
use helve_core::toolset::{ToolFilter, Toolset};
use helve_model::Model;
use helve_permission::Policy;
use helve_results::reducer::{DuplicateReducer, Reducers, ResultReducer};
#[cfg(feature = "skills")]
use helve_skill::{SkillFilter, SkillSet};

/// An app under construction; [`app!`](macro@crate::app) starts one.
///
/// It grants the linked tools of the package that starts it and of the packs that it names, and no others.
pub struct App {
    pub(super) package: Package,
    pub(super) state: State,
    pub(super) session_state: Vec<SessionStateFactory>,
    pub(super) packs: Vec<Toolset>,
    pub(super) filters: Vec<ToolFilter>,
    #[cfg(feature = "skills")]
    pub(super) skills: Vec<&'static SkillSet>,
    #[cfg(feature = "skills")]
    pub(super) skill_settings: SkillSettings,
    #[cfg(feature = "mcp")]
    pub(super) servers: Vec<helve_mcp::ServerConfig>,
    pub(super) prompt: SystemPrompt,
    pub(super) model: Option<Arc<dyn Model>>,
    pub(super) policy: Policy,
    pub(super) hooks: HookChain,
    pub(super) exposure: ToolExposure,
    pub(super) reducers: Reducers,
    pub(super) network: HostRules,
    pub(super) sandbox: Option<SandboxChoice>,
    pub(super) sandbox_settings: Vec<SandboxSettingsFn>,
    pub(super) demo: Option<&'static str>,
    pub(super) commands: Vec<AppCommand>,
}

/// The package that an app belongs to, as cargo knows it.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its description.
    pub description: &'static str,
    /// The name of the binary, where it is one.
    pub binary: Option<&'static str>,
}

impl Package {
    /// Returns the name under which the program was most likely started.
    pub(super) fn command_name(&self) -> &'static str {
        self.binary.unwrap_or(self.name)
    }
}

/// Makes one type of session state.
pub(super) type SessionStateFactory = Box<dyn Fn(&mut State) + Send + Sync>;

/// Says something of what commands may reach.
pub(super) type SandboxSettingsFn = Box<dyn Fn(&mut SandboxPolicy) + Send + Sync>;

/// A subcommand of the app's own.
pub(super) struct AppCommand {
    pub(super) command: clap::Command,
    pub(super) handler: CommandHandler,
}

type CommandHandler = Box<dyn Fn(&clap::ArgMatches, &CommandContext) -> ExitCode>;

impl App {
    /// Starts an app of a package; [`app!`](macro@crate::app) fills it in.
    #[must_use]
    pub fn new(package: Package) -> Self {
        Self {
            package,
            state: State::new(),
            session_state: Vec::new(),
            packs: Vec::new(),
            filters: Vec::new(),
            #[cfg(feature = "skills")]
            skills: Vec::new(),
            #[cfg(feature = "skills")]
            skill_settings: SkillSettings::default(),
            #[cfg(feature = "mcp")]
            servers: Vec::new(),
            prompt: SystemPrompt::new(),
            model: None,
            policy: Policy::default(),
            hooks: HookChain::default(),
            exposure: ToolExposure::new(),
            reducers: Reducers::built_in(),
            network: HostRules::from_allowed(["*"]),
            sandbox: None,
            sandbox_settings: Vec::new(),
            demo: None,
            commands: Vec::new(),
        }
    }

    /// Adds host state, which tools take as `&T`.
    #[must_use]
    pub fn state<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.state.insert(value);
        self
    }

    /// Adds shared host state, of an unsized type too: `.state_arc::<dyn Clock>(clock)`.
    #[must_use]
    pub fn state_arc<T: ?Sized + Any + Send + Sync>(mut self, value: Arc<T>) -> Self {
        self.state.insert_arc(value);
        self
    }

    /// Adds host state that is made when the first call needs it, so that `--help` opens no database.
    #[must_use]
    pub fn state_with<T, E>(mut self, make: impl FnOnce() -> Result<T, E> + Send + 'static) -> Self
    where
        T: Any + Send + Sync,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.state.insert_with(make);
        self
    }

    /// Adds state of which each session has its own.
    #[must_use]
    pub fn session_state<T: Any + Send + Sync>(
        mut self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) -> Self {
        self.session_state
            .push(Box::new(move |state| state.insert(make())));
        self
    }

    /// Adds a hook inside those that are there: around the turns of the agent, and around each call, whoever makes it: the
    /// model, a client of `serve`, or a person with `call`.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Grants the tools of a pack: `.pack(helve::tools::files())`, `.pack(Database::toolset(database))`.
    #[must_use]
    pub fn pack(mut self, pack: Toolset) -> Self {
        self.packs.push(pack);
        self
    }

    /// Grants only what a filter does of all these tools, and of those of MCP servers; said again, both hold, and the files
    /// of settings can take more away. Nobody can call what is left out; `tools --all` says why it is.
    ///
    /// Its own are the tools of its package, those that come with helve, and what the program makes while it runs, unless
    /// the filter [says otherwise](ToolFilter::own_packages).
    ///
    /// ```no_run
    /// use helve::toolset::ToolFilter;
    ///
    /// # fn warehouse() -> helve::Toolset { helve::Toolset::empty() }
    /// helve::app!().pack(warehouse()).filter(ToolFilter::new().without(["sell_everything"]));
    /// ```
    #[must_use]
    pub fn filter(mut self, filter: ToolFilter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Adds the skills of another package; those of the app's own are there.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skills(mut self, skills: &'static SkillSet) -> Self {
        self.skills.push(skills);
        self
    }

    /// Adds a folder of skills, which is read when the program runs: absolute, or below the root.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skill_folder(mut self, folder: impl Into<std::path::PathBuf>) -> Self {
        self.skill_settings.folders.push(folder.into());
        self
    }

    /// Says which skills the app uses; the files of settings can take more away. Those that it does not use cannot be
    /// listed, loaded, read, run or reached by a path.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn skill_filter(mut self, filter: &SkillFilter) -> Self {
        self.skill_settings.filter = self.skill_settings.filter.and(filter);
        self
    }

    /// Leaves the folders of skills alone that the user and the project have: `.agents/skills` and `.claude/skills`.
    #[cfg(feature = "skills")]
    #[must_use]
    pub fn embedded_skills_only(mut self) -> Self {
        self.skill_settings.embedded_only = true;
        self
    }

    /// Uses the tools of an MCP server, beside those that the user's and the project's files name.
    ///
    /// Nothing of it is offered before the user has approved what it offers, unless its
    /// [trust](helve_mcp::ServerTrust::definitions) says that the app vouches for it. A server of the user's settings
    /// takes the place of one of its name.
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
        self.servers.push(server);
        self
    }

    /// Says who the agent is and how it should work.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.prompt = self.prompt.instructions(instructions);
        self
    }

    /// Sets what comes before all else in the system prompt, such as what a company says to all of its agents.
    #[must_use]
    pub fn prompt_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prompt = self.prompt.prefix(prefix);
        self
    }

    /// Tells the model a value that may change, at the end of the system prompt: `.context("Team", "payments")`.
    ///
    /// The working folder, the platform and the date are told without it; a value of the same name takes their place.
    #[must_use]
    pub fn context(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.prompt = self.prompt.context(name, value);
        self
    }

    /// Sets the model that `run` talks to.
    #[must_use]
    pub fn model(mut self, model: impl Model + 'static) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// Says how the tools are offered to the model: in groups, and which of them where there are many.
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
        self.exposure = exposure;
        self
    }

    /// Sets what makes results shorter before the model reads them, in place of
    /// [those](Reducers::built_in) for the tools that come with helve: `Reducers::new()` has none. The key `reduce_results`
    /// of the settings turns all of them off.
    #[must_use]
    pub fn reducers(mut self, reducers: Reducers) -> Self {
        self.reducers = reducers;
        self
    }

    /// Adds what makes the results of a tool shorter before the model reads them.
    ///
    /// # Errors
    /// The tool has one already; [`Reducers::without`] takes it away.
    pub fn reducer(
        mut self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        self.reducers = self.reducers.with_reducer(tool, reducer)?;
        Ok(self)
    }

    /// Sets the policy that calls of the agent are judged by; the command line and the files of rules add to it.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Says which hosts the tools that declare `requires(net)` reach; without it, all that are public. What commands reach
    /// is another matter: see [`sandbox_policy`](Self::sandbox_policy).
    #[must_use]
    pub fn network(mut self, rules: HostRules) -> Self {
        self.network = rules;
        self
    }

    /// Chooses the sandbox that commands run in. `--sandbox` wins over it; it wins over `HELVE_SANDBOX` and the files of
    /// settings.
    #[must_use]
    pub fn sandbox(mut self, choice: SandboxChoice) -> Self {
        self.sandbox = Some(choice);
        self
    }

    /// Says what commands may reach, before the files of settings add to it.
    ///
    /// ```no_run
    /// helve::app!().sandbox_policy(|policy| policy.network.allow.push("crates.io".into()));
    /// ```
    #[must_use]
    pub fn sandbox_policy(
        mut self,
        settings: impl Fn(&mut SandboxPolicy) + Send + Sync + 'static,
    ) -> Self {
        self.sandbox_settings.push(Box::new(settings));
        self
    }

    /// Adds the recorded conversation that `demo` plays, with the app's real tools.
    #[must_use]
    pub fn demo(mut self, recording: &'static str) -> Self {
        self.demo = Some(recording);
        self
    }

    /// Adds a subcommand of the app's own.
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
            .field("package", &self.package)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
