//! An agent: a model, instructions, tools, and what bounds them.

use std::fmt;
use std::sync::Arc;

use super::authority::Authority;
use super::delegate::Delegates;
use super::hook::{Hook, Onion};
use super::offer::Offering;
use super::prompt::SystemPrompt;
use super::turn::Bounds;
use crate::call::{Pipeline, ResultCache};
use crate::model::{EstimatedTokens, Model, ModelOptions, Price, Prices, Reply, TokenCounter};
#[cfg(feature = "app")]
use crate::permission::RuleFiles;
use crate::permission::{Approver, DenyAll, Mode, Policy};
use crate::results::ResultPipeline;
use crate::results::reducer::{DuplicateReducer, Reducers, ResultReducer};
use crate::tool::ProgressSettings;
use crate::toolset::{ToolFilter, Toolset};
use crate::transcript::{AgentId, Cost};

/// How many times a turn may call the model where nothing else is said.
const MODEL_CALLS: u32 = 50;

/// A model with instructions, the tools that it may call, and the bounds of a turn.
///
/// ```
/// # extern crate helve_runtime as helve;
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
    pub(super) options: ModelOptions,
    pub(super) price: Option<Price>,
    pub(super) prices: Prices,
    pub(super) instructions: Option<Arc<str>>,
    /// The tools that the agent was given.
    given: Toolset,
    /// Those and the ones that come with what it was given besides.
    pub(super) toolset: Toolset,
    pub(super) offering: Arc<Offering>,
    pub(super) filters: Vec<ToolFilter>,
    pub(super) policy: Policy,
    #[cfg(feature = "app")]
    pub(super) rule_files: RuleFiles,
    pub(super) approver: Arc<dyn Approver>,
    /// Whether somebody attached it.
    has_approver: bool,
    pub(super) patience: Patience,
    pub(super) bounds: Bounds,
    pub(super) context_window: Option<u64>,
    pub(super) counter: Arc<dyn TokenCounter>,
    /// The hooks around what this agent does: those of the session, and inside them its own.
    pub(super) hooks: Onion,
    own_hooks: Onion,
    session_hooks: Onion,
    pub(super) delegates: Delegates,
    pub(super) results: ResultPipeline,
    pub(super) result_cache: ResultCache,
    pub(super) progress: ProgressSettings,
    /// Whether spans have the words of the conversation.
    pub(super) records_content: bool,
}

/// What a turn does when nothing can happen before somebody elsewhere gives an answer or hands a result in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Patience {
    /// It is left as it is, to be gone on with when the answer is there: in a minute or in three days, here or elsewhere.
    #[default]
    Leave,
    /// It stays, and looks now and then whether the answer is there.
    Stay,
}

impl Agent {
    /// Makes an agent without instructions and tools, and with nobody who could approve anything.
    pub fn new(id: impl Into<AgentId>, model: impl Model + 'static) -> Self {
        Self::with_model(id, Arc::new(model))
    }

    /// Makes an agent of a model that others use too.
    pub fn with_model(id: impl Into<AgentId>, model: Arc<dyn Model>) -> Self {
        Self {
            id: id.into(),
            model,
            description: None,
            options: ModelOptions::default(),
            price: None,
            prices: Prices::new(),
            instructions: None,
            given: Toolset::empty(),
            toolset: Toolset::empty(),
            offering: Arc::default(),
            filters: Vec::new(),
            policy: Policy::new(Mode::Default),
            #[cfg(feature = "app")]
            rule_files: RuleFiles::default(),
            approver: Arc::new(DenyAll),
            has_approver: false,
            patience: Patience::default(),
            bounds: Bounds::new(MODEL_CALLS),
            context_window: None,
            counter: Arc::new(EstimatedTokens),
            hooks: Onion::default(),
            own_hooks: Onion::default(),
            session_hooks: Onion::default(),
            delegates: Delegates::default(),
            results: ResultPipeline::new(),
            result_cache: ResultCache::new(),
            progress: ProgressSettings::default(),
            records_content: false,
        }
    }

    /// Sets the instructions.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the instructions to a prompt that is put together of parts.
    #[must_use]
    pub fn system_prompt(mut self, prompt: &SystemPrompt) -> Self {
        let prompt = prompt.render();
        self.instructions = (!prompt.is_empty()).then(|| prompt.into());
        self
    }

    /// Sets how what tools report while they work is gathered and told, or that it is not told; it holds for the agents
    /// that work for this one, too.
    #[must_use]
    pub fn progress(mut self, settings: ProgressSettings) -> Self {
        self.progress = settings;
        self
    }

    /// Sets whether what is said goes into traces: prompts, replies, arguments and results. It does not by default.
    #[must_use]
    pub fn record_content(mut self, record: bool) -> Self {
        self.records_content = record;
        self
    }

    /// Sets the tools that the agent may call.
    #[must_use]
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.given = toolset;
        self.put_tools_together()
    }

    /// Sets how the tools are offered to the model: in groups, and a choice of them where there are many.
    ///
    /// Without it, up to 15 tools go out as they are; above that, those whose words fit the conversation.
    #[must_use]
    pub fn offering(mut self, offering: Offering) -> Self {
        self.offering = Arc::new(offering);
        self.put_tools_together()
    }

    /// Grants the agent only what a filter does of its tools, be they in its toolset or in a group; said again, both hold.
    ///
    /// What is left out is missing to the model, and no call makes it show up; nor have the agents that work for this one it,
    /// while this one runs the turn of the session. The tools by which an agent works, to read on
    /// in a result or to hand a task over, are no tools that it was given, and stay.
    ///
    /// ```
    /// # extern crate helve_runtime as helve;
    /// use helve::agent::Agent;
    /// use helve::model::ScriptedModel;
    /// use helve::toolset::ToolFilter;
    ///
    /// let filter = ToolFilter::new().servers(["tickets"]).without(["mcp__tickets__delete"]);
    /// let agent = Agent::new("main", ScriptedModel::new()).filter(filter);
    /// ```
    #[must_use]
    pub fn filter(mut self, filter: ToolFilter) -> Self {
        self.filters.push(filter);
        self.put_tools_together()
    }

    /// Sets what the agent is good at, for the agents that may hand tasks to it.
    #[must_use]
    pub fn description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets how the model should reply.
    #[must_use]
    pub fn options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets what the model costs, so that replies are priced and a bound on cost holds.
    #[must_use]
    pub fn price(mut self, price: Price) -> Self {
        self.price = Some(price);
        self
    }

    /// Sets what models cost, by `provider/model`: a reply of a fallback has its own price.
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Sets what may run.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the files that keep the rules which somebody gives with an answer for a project or for a user.
    ///
    /// Only what is given while at work is written there; what they hold already is for the [policy](Self::policy).
    #[cfg(feature = "app")]
    #[must_use]
    pub fn rule_files(mut self, files: RuleFiles) -> Self {
        self.rule_files = files;
        self
    }

    /// Adds an agent to which this one may hand tasks, with a tool named `delegate`.
    ///
    /// A delegate works in a turn of its own, with its own tools, within what is left of this agent's bounds. Its policy
    /// holds [under](Policy::under) that of the session, so that it does nothing that the agent whose turn began it may not;
    /// the [session's hooks](Self::session_hook) lie around it, and the session's [approver](Self::approver) is asked about
    /// its calls.
    #[must_use]
    pub fn delegate(mut self, agent: Self) -> Self {
        self.delegates.push(agent);
        self.put_tools_together()
    }

    /// Returns what calls are judged and run with under a policy.
    pub(super) fn pipeline<'a>(&'a self, policy: &'a Policy) -> Pipeline<'a> {
        Pipeline {
            policy,
            hooks: &self.hooks,
            cache: &self.result_cache,
        }
    }

    /// Adds a hook inside those that are there, around what this agent does by itself: not around what its delegates do.
    /// What has to hold there, too, is a [hook of the session](Self::session_hook).
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.own_hooks.push(Arc::new(hook));
        self.put_hooks_together()
    }

    /// Adds a hook outside of every [`hook`](Self::hook), around what this agent and all agents do that work for it.
    #[must_use]
    pub fn session_hook(mut self, hook: impl Hook + 'static) -> Self {
        self.session_hooks.push(Arc::new(hook));
        self.put_hooks_together()
    }

    fn put_hooks_together(mut self) -> Self {
        self.hooks = self.session_hooks.around_all(&self.own_hooks);
        self
    }

    /// Adds hooks of the session inside those that are there.
    #[cfg(feature = "app")]
    pub(crate) fn session_hooks(mut self, hooks: Onion) -> Self {
        self.session_hooks.extend(hooks);
        self.put_hooks_together()
    }

    /// Returns this agent as it works for another one: what holds in the session of that one holds in its turns, too.
    pub(super) fn working_for(&self, caller: &Self, authority: &Authority) -> Self {
        let mut agent = self.clone();
        agent.filters.extend_from_slice(authority.filters());
        agent.session_hooks = caller.session_hooks.around_all(&self.session_hooks);
        if caller.has_approver {
            agent.approver = Arc::clone(&caller.approver);
            agent.has_approver = true;
        }
        #[cfg(feature = "app")]
        {
            agent.rule_files = caller.rule_files.clone();
        }
        agent.put_tools_together().put_hooks_together()
    }

    /// Sets how results are read back: their budget, their secrets, what becomes of the rest.
    #[must_use]
    pub fn results(mut self, pipeline: ResultPipeline) -> Self {
        let before = self.results.own_reducers().cloned();
        self.results = match (pipeline.own_reducers(), before) {
            (None, Some(before)) => pipeline.reducers(before),
            _ => pipeline,
        };
        self.put_tools_together()
    }

    /// Sets what makes results shorter before the model reads them, in place of what there was.
    ///
    /// Without it, nothing does; [`Reducers::built_in`] has those for the tools that come with helve.
    #[must_use]
    pub fn reducers(mut self, reducers: Reducers) -> Self {
        self.results = self.results.reducers(reducers);
        self
    }

    /// Adds what makes the results of a tool shorter before the model reads them.
    ///
    /// # Errors
    /// The tool has one already.
    pub fn reducer(
        self,
        tool: impl Into<String>,
        reducer: impl ResultReducer + 'static,
    ) -> Result<Self, DuplicateReducer> {
        let reducers = self.results.own_reducers().cloned().unwrap_or_default();
        Ok(self.reducers(reducers.with(tool, reducer)?))
    }

    /// Sets where the results of tools that are [`cached`](crate::tool::ToolSpec::cached) are kept; one of its own otherwise.
    #[must_use]
    pub fn result_cache(mut self, cache: ResultCache) -> Self {
        self.result_cache = cache;
        self
    }

    /// Sets what a turn does when it waits for somebody elsewhere.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Sets how many tokens the model's context has.
    ///
    /// As it fills up, old results are sent in a shorter form, and at 0.8 of it the conversation is summed up before the
    /// next reply; what is recorded stays whole. From the half of it on the model has a tool, `compress_history`, to ask for
    /// that itself. Without it none of this happens.
    ///
    /// What the user said last and the calls that were made last stay as they are. Behind the summary helve writes
    /// [what it knows itself](super::Kept). A summary that is empty or saves nothing, or that cannot be had, leaves the
    /// conversation as it was: that is [told](super::EventKind::Warning), old results stay out of what is sent, and it is
    /// tried again a few rounds later.
    #[must_use]
    pub fn context_window(mut self, tokens: u64) -> Self {
        self.context_window = Some(tokens);
        self
    }

    /// Sets how tokens are counted, where a provider does not say how many there were: how full the context is, and what a
    /// summary saves. Without it they are [estimated](EstimatedTokens).
    #[must_use]
    pub fn token_counter(mut self, counter: impl TokenCounter + 'static) -> Self {
        self.counter = Arc::new(counter);
        self
    }

    /// Sets who answers when a call needs approval; without one it is denied. About the calls of an agent that works for
    /// another one, the approver of that one is asked; its own is asked only where the other has none.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self.has_approver = true;
        self
    }

    /// Sets the bounds of a turn.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    fn put_tools_together(mut self) -> Self {
        let given = match self.offering.has_groups() {
            true => self.given.layered(&self.offering.tools()),
            false => self.given.clone(),
        };
        #[cfg(feature = "skills")]
        let given = match self.offering.skill_tools() {
            Some(tools) => given.layered(&tools),
            None => given,
        };
        let filters = self.filters.iter();
        let given = filters.fold(given, |given, filter| given.granted(filter));
        let own = self.results.toolset();
        let tools = match own.names().is_empty() {
            true => given,
            false => given.layered(&own),
        };
        self.toolset = match self.delegates.tool() {
            Some(tool) => tools.layered(&Toolset::of_tools([tool])),
            None => tools,
        };
        self
    }

    /// Says what a reply cost, where the price of the model that gave it is known.
    pub(super) fn cost(&self, reply: &Reply) -> Cost {
        let source = reply.message.source.as_deref();
        let listed = source.and_then(|source| self.prices.of_reply(source));
        let is_ours = match (source, self.model.name()) {
            (Some(source), Some(name)) => source.provider == name.provider(),
            _ => true,
        };
        let price = listed.or(self.price.as_ref().filter(|_| is_ours));
        price.map_or(Cost::ZERO, |price| price.cost(&reply.usage))
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
