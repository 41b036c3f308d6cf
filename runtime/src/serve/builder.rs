//! Putting a server together.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::tasks::{TaskPolicy, Tasks};
use super::{Inner, Prompts, ResourceSource, Server, house, list, parked};
use crate::agent::hook::HookChain;
use crate::agent::{Hook, ResultCache};
use crate::permission::{Approver, Policy};
use crate::results::ResultPipeline;
#[cfg(feature = "skills")]
use crate::skill::SkillLibrary;
use crate::tool::{Principal, ToolContext};
use crate::toolset::Toolset;

/// What a server is made of.
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) toolset: Toolset,
    /// Makes the context of a session's calls.
    pub(super) contexts: Contexts,
    pub(super) policy: Policy,
    /// Who is asked in the client's place.
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// What allows a rule on the command line.
    pub(super) allow_command: Option<String>,
    pub(super) hooks: HookChain,
    pub(super) result_cache: ResultCache,
    pub(super) results: ResultPipeline,
    pub(super) limits: Limits,
    pub(super) prompts: Option<Prompts>,
    pub(super) resources: Vec<Arc<dyn ResourceSource>>,
    pub(super) tasks: TaskPolicy,
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<Arc<SkillLibrary>>,
}

type Contexts = Arc<dyn Fn(&Principal) -> ToolContext + Send + Sync>;

/// How much one principal may have at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Calls that run.
    pub(super) running: usize,
    /// Calls that run, wait for their turn, or wait for an answer.
    pub(super) calls: usize,
    /// Calls that wait for the client to come back with an answer.
    pub(super) parked: usize,
    /// How long an answer of the client may take.
    pub(super) answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            running: 32,
            calls: 256,
            parked: 16,
            answer: Duration::from_secs(600),
        }
    }
}

/// Puts a [`Server`] together.
#[must_use = "a builder serves nothing until `build`"]
pub struct ServerBuilder {
    settings: Settings,
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        let settings = Settings {
            name,
            version,
            title: None,
            instructions: None,
            toolset: Toolset::empty(),
            contexts: Arc::new(|_| ToolContext::new()),
            policy: Policy::default(),
            approver: None,
            allow_command: None,
            hooks: HookChain::default(),
            result_cache: ResultCache::new(),
            results: ResultPipeline::new(),
            limits: Limits::default(),
            prompts: None,
            resources: Vec::new(),
            tasks: TaskPolicy::new(),
            #[cfg(feature = "skills")]
            skills: None,
        };
        Self { settings }
    }

    /// Sets a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Sets what a model is told of the server as a whole; what the groups of tools say follows it.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// Sets the tools, whose list may change while they are served.
    pub fn tools(mut self, tools: Toolset) -> Self {
        self.settings.toolset = tools;
        self
    }

    /// Sets what the context of each call derives from: state and what is granted. All sessions share its session state and
    /// its sandbox, with which one that reads untrusted text holds the connections of all commands there;
    /// [`contexts`](Self::contexts) gives each its own.
    pub fn context(self, context: ToolContext) -> Self {
        self.contexts(move |_| context.clone())
    }

    /// Sets what makes the context of a session, whose calls derive theirs from it.
    pub fn contexts(
        mut self,
        make: impl Fn(&Principal) -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        self.settings.contexts = Arc::new(make);
        self
    }

    /// Sets what may run; a policy without rules in the default mode otherwise. Each session has its own of it: what is
    /// granted to one, or read by one, concerns no other.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.policy = policy;
        self
    }

    /// Sets who is asked where the policy says "ask", in place of the person who uses the client.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.settings.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the command line that allows a rule, written behind it: a client that cannot ask is told it.
    pub fn allow_command(mut self, command: impl Into<String>) -> Self {
        self.settings.allow_command = Some(command.into());
        self
    }

    /// Adds a hook inside those that are there. Around calls it stands as in an agent: around their verdicts, and around
    /// their runs.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.settings.hooks.push(Arc::new(hook));
        self
    }

    /// Adds hooks inside those that are there.
    #[cfg(feature = "app")]
    pub(crate) fn hooks(mut self, hooks: HookChain) -> Self {
        self.settings.hooks.extend(hooks);
        self
    }

    /// Sets what keeps the results of tools that are [`cached`](crate::tool::ToolSpec::cached); [`ResultCache::new`]
    /// otherwise. No session gets the result of another.
    pub fn result_cache(mut self, cache: ResultCache) -> Self {
        self.settings.result_cache = cache;
        self
    }

    /// Sets what cuts results, redacts secrets and marks untrusted text; [`ResultPipeline::new`] otherwise. Where it keeps what it
    /// cuts, the tool that reads on is served too.
    pub fn results(mut self, pipeline: ResultPipeline) -> Self {
        self.settings.results = pipeline;
        self
    }

    /// Sets how many calls of one principal run at once; 32 otherwise. More wait for their turn.
    pub fn most_running(mut self, calls: usize) -> Self {
        self.settings.limits.running = calls.max(1);
        self
    }

    /// Sets how many calls of one principal there may be at once, running or waiting; 256 otherwise. More are refused.
    pub fn most_calls(mut self, calls: usize) -> Self {
        self.settings.limits.calls = calls.max(1);
        self
    }

    /// Sets how many calls of one principal may wait for the client to come back with an answer; 16 otherwise.
    pub fn most_parked(mut self, calls: usize) -> Self {
        self.settings.limits.parked = calls;
        self
    }

    /// Sets how long the answer of a client may take; ten minutes otherwise. Past that the call ends.
    pub fn answer_within(mut self, limit: Duration) -> Self {
        self.settings.limits.answer = limit;
        self
    }

    /// Sets the prompts, whose list may be replaced while they are served.
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.settings.prompts = Some(prompts);
        self
    }

    /// Adds something that has resources; a URI that several have is read from the first.
    pub fn resources(mut self, resources: Arc<dyn ResourceSource>) -> Self {
        self.settings.resources.push(resources);
        self
    }

    /// Sets which calls become tasks, where the client takes tasks; [`TaskPolicy::new`] otherwise.
    pub fn tasks(mut self, policy: TaskPolicy) -> Self {
        self.settings.tasks = policy;
        self
    }

    /// Sets the skills that are served beside the tools.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, skills: Arc<SkillLibrary>) -> Self {
        self.settings.skills = Some(skills);
        self
    }

    /// Makes the server.
    #[must_use]
    pub fn build(self) -> Server {
        let mut settings = self.settings;
        let pager = settings.results.toolset();
        if !pager.names().is_empty() {
            settings.toolset = settings.toolset.layered(&pager);
        }
        let inner = Inner {
            offer: list::Offer::default(),
            houses: house::Houses::new(settings.limits),
            parked: parked::Parking::new(settings.limits),
            tasks: Tasks::new(settings.tasks.clone()),
            #[cfg(feature = "skills")]
            skills: settings
                .skills
                .clone()
                .map(super::skills::ServedSkills::new),
            seen: tokio::sync::watch::Sender::default(),
            settings,
        };
        Server {
            inner: Arc::new(inner),
        }
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("name", &self.settings.name)
            .finish_non_exhaustive()
    }
}
