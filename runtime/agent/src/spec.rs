//! An agent: a model, instructions, tools, and the bounds of a turn.

mod approval;
mod hooks;
mod tools;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::authority::Authority;
use super::delegate::{Delegates, JobLauncher, Successors};
use super::exposure::ToolExposure;
use super::guard::Guards;
use super::hook::HookChain;
use super::note_queue::NoteQueue;
use super::prompt::SystemPrompt;
use super::setters::setters;
use super::turn::Bounds;
use helve_core::tool::ProgressSettings;
use helve_core::toolset::{ToolFilter, Toolset};
use helve_core::transcript::AgentId;
use helve_model::{
    EstimatedTokenCounter, Model, ModelName, ModelOptions, OutputFormat, Price, Prices, TierModels,
    TokenCounter,
};
use helve_permission::call::{Pipeline, ResultCache};
use helve_permission::{AccessStore, Approver, DenyAll, Mode, Policy, RuleFiles};
use helve_results::ResultPipeline;

/// The default maximum number of model calls of a turn.
const DEFAULT_MODEL_CALLS: u32 = 50;

/// The default fill of the context at which the conversation is compacted.
const DEFAULT_COMPACT_AT: f64 = 0.8;

/// A model with instructions, the tools that it may call, and the bounds of a turn.
///
/// ```
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::prelude::*;
/// use helve::transcript::Message;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let model = ScriptedModel::new().call("add", serde_json::json!({ "a": 2, "b": 3 })).say("It is 5.");
/// let agent = Agent::new("main", model).toolset(toolset![add]);
/// let report = agent.run(vec![Message::user("2 + 3?")], &ToolContext::new(), |_event| {}).await;
/// assert_eq!(report.text(), "It is 5.");
/// # }
/// ```
#[derive(Clone)]
pub struct Agent {
    pub(super) id: AgentId,
    pub(super) description: Option<Arc<str>>,
    pub(super) model: Arc<dyn Model>,
    pub(super) tiers: TierModels,
    pub(super) options: ModelOptions,
    pub(super) price: Option<Price>,
    pub(super) prices: Prices,
    pub(super) instructions: Option<Arc<str>>,
    /// The tools that the agent was given.
    base_toolset: Toolset,
    /// The given tools and those of the groups, the delegates and the result pipeline.
    pub(super) toolset: Toolset,
    pub(super) exposure: Arc<ToolExposure>,
    pub(super) filters: Vec<ToolFilter>,
    pub(super) policy: Policy,
    pub(super) rule_files: RuleFiles,
    pub(super) access_store: Option<Arc<dyn AccessStore>>,
    pub(super) approver: Arc<dyn Approver>,
    has_approver: bool,
    pub(super) wait_mode: WaitMode,
    pub(super) bounds: Bounds,
    pub(super) context_window: Option<u64>,
    /// The fill of the context at which the conversation is compacted.
    pub(super) compact_at: f64,
    /// What the summary of a compaction before the first reply should keep; `None` if none is asked for.
    pub(super) compacts_first: Option<String>,
    pub(super) counter: Arc<dyn TokenCounter>,
    /// The hooks of the session, which wrap those of the agent.
    pub(super) hooks: HookChain,
    own_hooks: HookChain,
    session_hooks: HookChain,
    pub(super) guards: Guards,
    pub(super) notes: Option<NoteQueue>,
    pub(super) delegates: Delegates,
    pub(super) successors: Successors,
    /// The maximum number of suggestions after a turn.
    pub(super) suggestions: u8,
    /// Starts tasks in the background.
    pub(super) jobs: Option<Arc<dyn JobLauncher>>,
    pub(super) plan_folder: Option<Arc<Path>>,
    pub(super) forks_conversation: bool,
    pub(super) results: ResultPipeline,
    pub(super) result_cache: ResultCache,
    pub(super) progress: ProgressSettings,
    /// Whether spans contain the content of the conversation.
    pub(super) records_content: bool,
}

/// The behaviour of a turn that can only continue after an external answer or result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitMode {
    /// The turn returns, and can be [resumed](Agent::resume) when the answer has been posted: by this process or another.
    #[default]
    Return,
    /// The turn blocks and polls for the answer.
    Block,
}

impl Agent {
    /// Creates an agent without instructions, tools and approver.
    pub fn new(id: impl Into<AgentId>, model: impl Model + 'static) -> Self {
        Self::with_model(id, Arc::new(model))
    }

    /// Creates an agent with a shared model.
    pub fn with_model(id: impl Into<AgentId>, model: Arc<dyn Model>) -> Self {
        Self {
            id: id.into(),
            model,
            tiers: TierModels::default(),
            description: None,
            options: ModelOptions::default(),
            price: None,
            prices: Prices::new(),
            instructions: None,
            base_toolset: Toolset::empty(),
            toolset: Toolset::empty(),
            exposure: Arc::default(),
            filters: Vec::new(),
            policy: Policy::new(Mode::Default),
            rule_files: RuleFiles::default(),
            access_store: None,
            approver: Arc::new(DenyAll),
            has_approver: false,
            wait_mode: WaitMode::default(),
            bounds: Bounds::new(DEFAULT_MODEL_CALLS),
            context_window: None,
            compact_at: DEFAULT_COMPACT_AT,
            compacts_first: None,
            counter: Arc::new(EstimatedTokenCounter),
            hooks: HookChain::default(),
            own_hooks: HookChain::default(),
            session_hooks: HookChain::default(),
            guards: Guards::default(),
            notes: None,
            delegates: Delegates::default(),
            successors: Successors::default(),
            suggestions: 0,
            jobs: None,
            plan_folder: None,
            forks_conversation: false,
            results: ResultPipeline::new(),
            result_cache: ResultCache::new(),
            progress: ProgressSettings::default(),
            records_content: false,
        }
    }

    setters! {
        /// Sets the instructions.
        instructions(instructions: impl Into<Arc<str>>) => instructions = Some(instructions.into());

        /// Sets how the progress of tools is buffered and emitted, or that it is not emitted. The settings apply to delegates,
        /// too.
        progress(settings: ProgressSettings) => progress = settings;

        /// Sets whether spans contain prompts, replies, arguments and results. By default, they do not.
        record_content(record: bool) => records_content = record;

        /// Sets the description of the agent for agents that may delegate tasks to it.
        description(description: impl Into<Arc<str>>) => description = Some(description.into());

        /// Sets whether a task begins with a copy of the conversation of the agent that delegates it, up to the call. By
        /// default, the agent sees the prompt of the task alone.
        forks_conversation(forks: bool) => forks_conversation = forks;

        /// Sets the options of the model.
        options(options: ModelOptions) => options = options;

        /// Sets the price of the model, which a bound on the cost requires.
        price(price: Price) => price = Some(price);

        /// Sets the prices of models by `provider/model`: the reply of a fallback has its own price.
        prices(prices: Prices) => prices = prices;

        /// Sets the policy, which decides what may run.
        policy(policy: Policy) => policy = policy;

        /// Sets the files for the rules that answers grant for a project or for a user.
        ///
        /// The agent only writes new rules; rules that the files already hold belong into the [policy](Self::policy).
        rule_files(files: RuleFiles) => rule_files = files;

        /// Sets where the hosts and folders are stored that a user allows to sandboxed commands for all sessions.
        access_store(store: Arc<dyn AccessStore>) => access_store = Some(store);

        /// Sets the folder in which plans that the user approved are stored. The agent presents a plan in
        /// [`Mode::Plan`], with the tool [`present_plan`](helve_permission::PRESENT_PLAN), which it has in that mode alone.
        plan_folder(folder: impl Into<PathBuf>) => plan_folder = Some(Arc::from(folder.into()));

        /// Sets the cache for the results of [`cached`](helve_core::tool::ToolSpec::cached) tools. By default, an agent has its own.
        result_cache(cache: ResultCache) => result_cache = cache;

        /// Sets the behaviour of a turn that can only continue after an external answer or result.
        wait_mode(wait_mode: WaitMode) => wait_mode = wait_mode;

        /// Sets the size of the context of the model in tokens.
        ///
        /// As the context fills up, old results are [pruned](helve_results::Pruning), and at 0.8 (see
        /// [`compact_at`](Self::compact_at)) the conversation is compacted before the next reply; the record stays whole. From 0.5 on, the model has the tool `compress_history` to ask for a
        /// compaction. By default, the size is unknown, and none of this happens.
        ///
        /// A compaction leaves the last message of the user and the last calls as they are. helve appends [the facts
        /// that it has recorded itself](super::RetainedFacts) to the summary. If a summary fails, is empty or saves
        /// nothing, the conversation is unchanged: the agent emits a [warning](super::EventKind::Warning), old results
        /// stay pruned, and the compaction is tried again a few rounds later.
        context_window(tokens: u64) => context_window = Some(tokens);

        /// Sets the fill of the context, from 0 to 1, at which the conversation is compacted: 0.8 by default.
        compact_at(fill: f64) => compact_at = fill;

        /// Compacts the conversation before the first reply of the next turn, however full the context is. The text says what
        /// the summary should keep above all; it may be empty.
        compact_first(keep: impl Into<String>) => compacts_first = Some(keep.into());

        /// Sets the counter of tokens. It determines the fill of the context if the provider does not return it, and
        /// the savings of a summary. By default, tokens are [estimated](EstimatedTokenCounter).
        token_counter(counter: impl TokenCounter + 'static) => counter = Arc::new(counter);

        /// Sets the bounds of a turn.
        bounds(bounds: Bounds) => bounds = bounds;
    }

    /// Sets the model for short texts, which costs less than the main model. It writes the summaries of compactions, and
    /// tools reach it as [`ModelTier::Small`](helve_model::ModelTier::Small).
    ///
    /// The [price](Self::prices) of a reply is that of its own model. What a tool uses is part of its call, and counts
    /// towards the [bounds](Self::bounds). Delegates without a small model use this one.
    ///
    /// ```
    /// use helve::agent::Agent;
    /// use helve::model::{ModelError, ModelTier, ScriptedModel};
    /// use helve::prelude::*;
    ///
    /// /// Writes a headline.
    /// #[tool(read_only)]
    /// async fn headline(
    ///     /// The article.
    ///     article: String,
    ///     cx: &ToolContext,
    /// ) -> Result<String, ModelError> {
    ///     cx.model(ModelTier::Small).ask(format!("Write a headline:\n\n{article}")).await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), helve::agent::AskError> {
    /// let article = serde_json::json!({ "article": "It rained." });
    /// let main = ScriptedModel::new().call("headline", article).say("Done.");
    /// let small = ScriptedModel::new().say("Rain!");
    /// let agent = Agent::new("main", main).toolset(toolset![headline]).small_model(small);
    /// assert_eq!(agent.ask("A headline, please.").await?, "Done.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn small_model(mut self, model: impl Model + 'static) -> Self {
        self.tiers.small = Some(Arc::new(model));
        self
    }

    /// Sets the model that reads images for tools, as
    /// [`ModelTier::Vision`](helve_model::ModelTier::Vision). By default, it is the main model.
    #[must_use]
    pub fn vision_model(mut self, model: impl Model + 'static) -> Self {
        self.tiers.vision = Some(Arc::new(model));
        self
    }

    /// Sets the name of the embedding model, which tools read as the
    /// [name](helve_model::TierModel::name) of [`ModelTier::Embed`](helve_model::ModelTier::Embed).
    #[must_use]
    pub fn embedding_model(mut self, name: ModelName) -> Self {
        self.tiers.embed = Some(name);
        self
    }

    /// Sets the instructions to a prompt that consists of parts.
    #[must_use]
    pub fn system_prompt(mut self, prompt: &SystemPrompt) -> Self {
        let prompt = prompt.render();
        self.instructions = (!prompt.is_empty()).then(|| prompt.into());
        self
    }

    pub(super) fn pipeline<'a>(&'a self, policy: &'a Policy) -> Pipeline<'a> {
        Pipeline {
            policy,
            hooks: &self.hooks,
            cache: &self.result_cache,
        }
    }

    /// Returns this agent as the delegate of another one: the settings of the session also apply to its turns.
    pub(super) fn for_caller(&self, caller: &Self, authority: &Authority) -> Self {
        let mut agent = self.clone();
        agent.filters.extend_from_slice(&authority.filters);
        agent.session_hooks = caller.session_hooks.with_inner(&self.session_hooks);
        agent.guards = self.guards.within(&caller.guards);
        agent.notes = agent.notes.or_else(|| caller.notes.clone());
        agent.jobs = agent.jobs.or_else(|| caller.jobs.clone());
        if caller.has_approver {
            agent.approver = Arc::clone(&caller.approver);
            agent.has_approver = true;
        }
        agent.rule_files = caller.rule_files.clone();
        agent.tiers = agent.tiers.or(&caller.tiers);
        agent.successors = Successors::default();
        agent.rebuild_toolset().rebuild_hooks()
    }

    /// Returns this agent with a format of structured output.
    pub(super) fn with_output_format(&self, format: OutputFormat) -> Self {
        let mut agent = self.clone();
        agent.options.output = Some(format);
        agent
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("id", &self.id)
            .field("toolset", &self.toolset)
            .finish_non_exhaustive()
    }
}
