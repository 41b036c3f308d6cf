//! The options of the agent on the command line, and the agent that they make.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgMatches};
use tokio_util::sync::CancellationToken;

#[cfg(feature = "chat")]
use super::command_limit::CommandLimit;
use super::model_choice;
#[cfg(feature = "jobs")]
use super::model_choice::recording_arguments;
use super::settings;
use crate::access_settings::AccessSettings;
use crate::app::MAIN_AGENT;
use crate::app_context::AppContext;
#[cfg(feature = "jobs")]
use crate::config;
use crate::config::{Config, ConfigError};
use crate::providers::{ModelChoiceError, TierModels};
use crate::{args, exit, hooks, permissions, session_folder};
use helve_agent::journal::Timestamp;
use helve_agent::turn::Bounds;
use helve_agent::{Agent, NoteQueue, ProjectInstructions, ResultCache, SystemPrompt};
#[cfg(feature = "agents")]
use helve_agents::NamedAgent;
use helve_core::tool::{ProgressSettings, ToolContext};
use helve_core::transcript::AgentId;
#[cfg(feature = "tokens")]
use helve_model::ExactTokenCounter;
use helve_model::{KnownModel, Model, ModelOptions, Prices, Recorder, RecordingError};
use helve_permission::{DenyAll, Policy, TimeLimitedApprover};
use helve_results::ResultPipeline;
use helve_terminal::output;
use helve_terminal::questions::Terminal;

pub(crate) struct RunOptions {
    pub(crate) model: Arc<dyn Model>,
    /// The models beside the main one.
    pub(crate) tiers: TierModels,
    /// Records the replies of the model, if requested; the recorder is the outermost layer of the model.
    pub(crate) recorder: Option<Arc<Recorder<Arc<dyn Model>>>>,
    pub(crate) policy: Policy,
    pub(crate) options: ModelOptions,
    pub(crate) prices: Prices,
    pub(crate) bounds: Option<Bounds>,
    /// Whether a bound that ends a prompt asks to go on.
    pub(crate) asks_at_bound: bool,
    /// The maximum number of suggestions of what to say next.
    pub(crate) suggestions: u8,
    pub(crate) context_window: Option<u64>,
    /// The fill of the context at which it is compacted.
    pub(crate) compact_at: Option<f64>,
    /// The maximum number of characters of the results of one round.
    pub(crate) result_budget: usize,
    /// The time limit of a question about a call.
    pub(crate) approval_timeout: Option<Duration>,
    pub(crate) progress: ProgressSettings,
    pub(crate) reduces_results: bool,
    /// The cache of results that the turns of a chat share.
    pub(crate) results: ResultCache,
    pub(crate) dry_run: bool,
    pub(crate) defers_questions: bool,
    /// What a custom command limits its turn to.
    #[cfg(feature = "chat")]
    pub(crate) command_limit: Option<CommandLimit>,
    /// What the user and others say while the agent works.
    pub(crate) notes: NoteQueue,
    /// The background jobs, where agents of the session may start some.
    #[cfg(feature = "jobs")]
    pub(crate) jobs: Option<helve_jobs::Jobs>,
    /// The agent of the session, if it is one of those by name.
    #[cfg(feature = "agents")]
    pub(crate) named: Option<NamedAgent>,
    /// Whether the events go to standard output as JSON, and nothing else does.
    pub(crate) json: bool,
}

/// A model and what depends on it.
#[derive(Clone)]
pub(crate) struct SelectedModel {
    pub(super) model: Arc<dyn Model>,
    pub(super) prices: Prices,
    pub(super) context_window: Option<u64>,
}

/// The parts in which agents differ.
#[derive(Clone)]
pub(super) struct AgentParts {
    pub(super) id: AgentId,
    pub(super) selected: SelectedModel,
    pub(super) options: ModelOptions,
    pub(super) prompt: SystemPrompt,
}

/// The reason why the agent cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunOptionsError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Choice(#[from] ModelChoiceError),
    #[error(transparent)]
    Record(#[from] RecordingError),
}

impl RunOptionsError {
    /// Prints the error, and returns the exit code: wrong usage, or a file that cannot be used.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Choice(ModelChoiceError::Replay { .. }) | Self::Record(_) => exit::failed(self),
            _ => exit::wrong_usage(self),
        }
    }
}

/// Creates the arguments of a command whose agents work without a user.
#[cfg(feature = "jobs")]
pub(crate) fn unattended_arguments() -> Vec<Arg> {
    let mut arguments: Vec<Arg> = config::arguments();
    arguments.extend(recording_arguments());
    arguments.extend(permissions::arguments());
    arguments.extend(hooks::argument());
    #[cfg(feature = "mcp")]
    arguments.extend(crate::mcp::arguments());
    arguments
}

impl RunOptions {
    /// Creates the flag `--dry-run`.
    pub(crate) fn dry_run_argument() -> Arg {
        args::flag(
            "dry-run",
            "Change nothing: tools that do more than read only describe what they would do",
        )
    }

    /// Creates options that run tools and ask questions immediately.
    pub(crate) fn new(model: Arc<dyn Model>, policy: Policy) -> Self {
        Self {
            model,
            tiers: TierModels::default(),
            recorder: None,
            policy,
            options: ModelOptions::new(),
            prices: Prices::new(),
            bounds: None,
            asks_at_bound: false,
            suggestions: 0,
            context_window: None,
            compact_at: None,
            result_budget: ToolContext::DEFAULT_RESULT_BUDGET,
            approval_timeout: Some(TimeLimitedApprover::<DenyAll>::DEFAULT),
            progress: ProgressSettings::default(),
            reduces_results: true,
            results: ResultCache::new(),
            dry_run: false,
            defers_questions: false,
            #[cfg(feature = "chat")]
            command_limit: None,
            notes: NoteQueue::new(),
            #[cfg(feature = "jobs")]
            jobs: None,
            #[cfg(feature = "agents")]
            named: None,
            json: false,
        }
    }

    /// Reads the options from the flags of a command and the settings.
    pub(crate) fn from_flags(
        app: &AppContext,
        config: &Config,
        matches: &ArgMatches,
    ) -> Result<Self, RunOptionsError> {
        let policy = app.policy(config, matches)?;
        hooks::set_policy(app, &policy);
        let model = model_choice::choose_model(app, config, matches)?;
        // A recording has the replies of one model, in their order: that model writes the summaries, too.
        let has_recording =
            ["record", "replay"].map(|flag| matches.contains_id(flag)) != [false; 2];
        let tiers = if has_recording {
            TierModels::default()
        } else {
            TierModels::read(config)?
        };
        // A replayed recording causes no costs.
        let mut prices = Prices::new();
        if let Some(name) = model.name() {
            prices = settings::prices(config, name)?;
            for name in std::iter::once(name).chain(tiers.writers()) {
                settings::check_cost_limit(config, &prices, name)?;
            }
        }
        let known = model.name().and_then(KnownModel::find);
        let context_window = config.integer(&["context_window"]);
        let mut job = Self {
            options: settings::model_options(config)?,
            prices,
            bounds: Some(settings::bounds(config)),
            asks_at_bound: config.boolean(&["limits", "ask"]).unwrap_or_default(),
            context_window: context_window.or(known.map(|known| known.context_window)),
            compact_at: config.number(&["context", "compact_at"]),
            result_budget: settings::result_budget(config),
            approval_timeout: settings::approval_timeout(config),
            progress: settings::progress(config),
            reduces_results: settings::reduces_results(config),
            tiers,
            ..Self::new(model, policy)
        };
        if let Some(file) = matches.get_one::<PathBuf>("record") {
            let recorder = Arc::new(Recorder::new(job.model, file)?);
            job.model = recorder.clone();
            job.recorder = Some(recorder);
        }
        Ok(job)
    }

    /// Returns the model and what depends on it.
    pub(crate) fn selected_model(&self) -> SelectedModel {
        SelectedModel {
            model: self.model.clone(),
            prices: self.prices.clone(),
            context_window: self.context_window,
        }
    }

    #[cfg(feature = "chat")]
    pub(crate) fn restore_model(&mut self, app: &AppContext, selected: SelectedModel) {
        if !Arc::ptr_eq(&self.model, &selected.model) {
            self.model = selected.model;
            self.prices = selected.prices;
            self.context_window = selected.context_window;
            app.client.set_agent(&self.model, true);
        }
    }

    /// Selects another model by its name, as the flag `--model` does.
    #[cfg(feature = "chat")]
    pub(crate) fn set_model(
        &mut self,
        app: &AppContext,
        name: &str,
    ) -> Result<(), RunOptionsError> {
        let selected = self.find_model(app, name)?;
        self.model = selected.model;
        self.prices = selected.prices;
        self.context_window = selected.context_window;
        app.client.set_agent(&self.model, true);
        Ok(())
    }

    /// Finds a model by its name.
    #[cfg(any(feature = "agents", feature = "chat"))]
    pub(super) fn find_model(
        &self,
        app: &AppContext,
        name: &str,
    ) -> Result<SelectedModel, RunOptionsError> {
        let refused = |why: &str| ModelChoiceError::NoModel(why.to_owned());
        if self.recorder.is_some() {
            return Err(
                refused("the model cannot be changed while its replies are recorded").into(),
            );
        }
        // A conversation does not start with settings that are invalid.
        let Ok(config) = &app.settings else {
            return Err(refused("the settings are invalid").into());
        };
        let config = config.with_model(name)?;
        let mut selected = self.selected_model();
        if let Some(model) = crate::providers::chosen_model(&config)? {
            if let Ok(chosen) = name.parse() {
                selected.prices = settings::prices(&config, &chosen)?;
                let known = KnownModel::find(&chosen).map(|known| known.context_window);
                selected.context_window = config.integer(&["context_window"]).or(known);
            }
            selected.model = model;
        }
        Ok(selected)
    }

    /// Returns the system prompt of the agent.
    #[cfg(feature = "chat")]
    pub(crate) fn system_prompt_text(&self, app: &AppContext) -> String {
        system_prompt(app, self.context_window).render()
    }

    /// Creates the agent that begins a turn, or goes on with one, without its approver.
    #[cfg(not(feature = "agents"))]
    pub(crate) fn agent_of_turn(
        &self,
        app: &AppContext,
        is_kept: bool,
        _: Option<&helve_agent::Conversation>,
        _: bool,
    ) -> Agent {
        Self::guarded(app, self.agent_of(app, is_kept, self.main_parts(app)))
    }

    /// Adds the guards of the app and the hooks to the agent of a session; its delegates have those that hold in delegates.
    pub(super) fn guarded(app: &AppContext, agent: Agent) -> Agent {
        let guards = app.definition.guards.iter();
        let agent = guards.fold(agent, |agent, guard| agent.shared_guard(Arc::clone(guard)));
        hooks::add_guard(app, agent)
    }

    /// Returns the id of the agent that replies to the next message of a session: the one that the options name, or to which
    /// the session was handed off, or that of the app.
    pub(crate) fn agent_of_message(
        &self,
        conversation: Option<&helve_agent::Conversation>,
    ) -> String {
        #[cfg(feature = "agents")]
        {
            let named = self.named.as_ref().map(|agent| agent.spec().name.clone());
            let active = || Some(conversation?.session().state().active.as_ref()?.to_string());
            if let Some(agent) = named.or_else(active) {
                return agent;
            }
        }
        let _ = conversation;
        MAIN_AGENT.to_owned()
    }

    /// Returns the policy of a turn: that of the session, within the limit of a custom command.
    pub(super) fn policy_of_turn(&self) -> Policy {
        #[cfg(feature = "chat")]
        if let Some(limit) = &self.command_limit {
            return limit.narrow(self.policy.clone());
        }
        self.policy.clone()
    }

    /// Returns the parts of the agent of the app. Reads the instructions of the project, and prints its warnings.
    pub(super) fn main_parts(&self, app: &AppContext) -> AgentParts {
        AgentParts {
            id: MAIN_AGENT.into(),
            selected: self.selected_model(),
            options: self.options.clone(),
            prompt: system_prompt(app, self.context_window),
        }
    }

    /// Creates an agent of these parts, without its approver. Truncated results are stored with the session if the session
    /// is recorded, so that another process can read them.
    pub(super) fn agent_of(&self, app: &AppContext, is_kept: bool, parts: AgentParts) -> Agent {
        let AgentParts {
            id,
            selected,
            options,
            prompt,
        } = parts;
        let SelectedModel {
            model,
            prices,
            context_window,
        } = selected;
        hooks::set_policy(app, &self.policy);
        let mut agent = Agent::with_model(id, model.clone())
            .toolset(app.tools.granted().clone())
            .tool_exposure(app.definition.exposure.clone())
            .policy(self.policy_of_turn())
            .rule_files(permissions::rule_files(&app.folder))
            .options(options)
            .progress(self.progress.clone())
            .prices(prices.clone())
            .result_cache(self.results.clone())
            .session_hooks(app.definition.hooks.clone())
            .notes(&self.notes)
            .suggestions(self.suggestions)
            .system_prompt(&prompt);
        if let Ok(folder) = session_folder::plan_folder(app.package.name) {
            agent = agent.plan_folder(folder);
        }
        if let Some(settings) = AccessSettings::for_user(app) {
            agent = agent.access_store(settings);
        }
        // The tools of groups pass them, too.
        for narrowing in app.tools.filters() {
            agent = agent.filter(narrowing.filter.clone());
        }
        agent = self.tiers.add_to(agent);
        // The price belongs to the configured name, since the provider may report another name of the model.
        let chosen = model.name().map(ToString::to_string);
        if let Some(price) = chosen.and_then(|name| prices.get(&name).copied()) {
            agent = agent.price(price);
        }
        #[cfg(feature = "chat")]
        if let Some(limit) = &self.command_limit {
            agent = agent.filter(limit.filter.clone());
        }
        if let Some(bounds) = &self.bounds {
            agent = agent.bounds(bounds.clone());
        }
        if let Some(tokens) = context_window {
            agent = agent.context_window(tokens);
        }
        if let Some(fill) = self.compact_at {
            agent = agent.compact_at(fill);
        }
        #[cfg(feature = "tokens")]
        if let Some(counter) = model.name().and_then(ExactTokenCounter::for_model) {
            agent = agent.token_counter(counter);
        }
        if self.reduces_results {
            agent = agent.reducers(app.definition.reducers.clone());
        }
        agent.results(self.results_pipeline(app, is_kept))
    }

    fn results_pipeline(&self, app: &AppContext, is_kept: bool) -> ResultPipeline {
        let results = ResultPipeline::new().budget(self.result_budget);
        if is_kept && let Ok(folder) = session_folder::result_spill(app.package.name) {
            return results.spill(Arc::new(folder));
        }
        results
    }

    /// Returns the agent with the terminal as its approver, which has the time of the settings for each question.
    pub(crate) fn with_terminal(
        &self,
        app: &AppContext,
        agent: Agent,
        terminal: Terminal,
    ) -> Agent {
        hooks::set_approver(app, agent, terminal.with_limit(self.approval_timeout))
    }

    pub(crate) fn context(&self, app: &AppContext, stop: CancellationToken) -> ToolContext {
        let context = app.tool_context().derive().dry_run(self.dry_run);
        context.cancellation(stop).build()
    }

    /// Waits until the recording of the model is written, and reports an error if writing failed.
    pub(crate) async fn finish_recording(&self) {
        if let Some(recorder) = &self.recorder
            && let Err(error) = recorder.finish().await
        {
            output::error(&error);
        }
    }
}

/// Creates the system prompt from the texts of the app, its tools and skills, and the project.
fn system_prompt(app: &AppContext, context_window: Option<u64>) -> SystemPrompt {
    #[cfg(not(feature = "skills"))]
    let _ = context_window;
    let now = Timestamp::now().to_string();
    // The hour would make each prompt another one, and nothing of it could come out of a provider's cache.
    let date = now.split_once('T').map_or(&*now, |(date, _)| date);
    let prompt = app
        .definition
        .prompt
        .clone()
        .tools(app.tools.granted())
        .context_or("Working folder", app.folder_text())
        .context_or("Platform", std::env::consts::OS)
        .context_or("Date", date);
    let folders = app.additional_folders.iter();
    let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
    let prompt = if folders.is_empty() {
        prompt
    } else {
        prompt.context_or("Additional folders", folders.join(", "))
    };
    #[cfg(feature = "skills")]
    let prompt = match app.skills.current().is_empty() {
        true => prompt,
        false => {
            let budget = helve_skill::prompt_budget(context_window);
            prompt.skills(app.skills.current().prompt_within(budget))
        }
    };
    let project = ProjectInstructions::load(&app.folder);
    for warning in project.warnings() {
        output::remark(&warning);
    }
    prompt.project(project)
}
