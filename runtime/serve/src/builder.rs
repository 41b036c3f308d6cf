//! The builder of servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::prompts::Prompts;
use super::resources::ResourceSource;
use super::server::Server;
use super::settings::Settings;
use super::state::ServerState;
use super::tasks::TaskPolicy;
use helve_agent::hook::HookChain;
use helve_agent::{Hook, ResultCache};
use helve_core::tool::{Principal, ToolContext};
use helve_core::toolset::Toolset;
use helve_permission::{Approver, Policy};
use helve_results::ResultPipeline;
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;

/// Builds a [`Server`].
#[must_use = "a builder serves nothing until `build`"]
pub struct ServerBuilder {
    settings: Settings,
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            settings: Settings::new(name, version),
        }
    }

    /// Sets the title, a name for display.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Sets the instructions of the server for models. The instructions of the tool groups follow them.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// Sets the tools. The toolset may change while it is served.
    pub fn tools(mut self, tools: Toolset) -> Self {
        self.settings.toolset = tools;
        self
    }

    /// Sets the context that the context of each call derives from, with its state and its grants.
    ///
    /// All sessions share the session state and the sandbox of this context. If one session reads untrusted text, the
    /// connections of all commands in the sandbox are held for approval. [`contexts`](Self::contexts) gives each session
    /// a context of its own.
    pub fn context(self, context: ToolContext) -> Self {
        self.contexts(move |_| context.clone())
    }

    /// Sets the function that makes the context of a session. The contexts of its calls derive from it.
    pub fn contexts(
        mut self,
        make: impl Fn(&Principal) -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        self.settings.contexts = Arc::new(make);
        self
    }

    /// Sets the permission policy. The default is a policy without rules in the default mode. Each session has its own
    /// copy: grants to one session, and the text that it reads, do not affect the others.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.settings.policy = policy;
        self
    }

    /// Sets the approver that answers permission questions in place of the client's user.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.settings.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the command line that adds a permission rule, without the rule itself. The result of a call that needs
    /// approval names the command if the client cannot ask its user.
    pub fn allow_command(mut self, command: impl Into<String>) -> Self {
        self.settings.allow_command = Some(command.into());
        self
    }

    /// Adds a hook inside the existing ones. As in an agent, the hook wraps the verdicts and the runs of calls.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.settings.hooks.push(Arc::new(hook));
        self
    }

    /// Adds hooks inside the existing ones.
    #[doc(hidden)]
    pub fn hooks(mut self, hooks: HookChain) -> Self {
        self.settings.hooks.extend(hooks);
        self
    }

    /// Sets the cache for the results of [`cached`](helve_core::tool::ToolSpec::cached) tools. The default is
    /// [`ResultCache::new`]. Sessions do not share results.
    pub fn result_cache(mut self, cache: ResultCache) -> Self {
        self.settings.result_cache = cache;
        self
    }

    /// Sets the processing of results: truncation, redaction of secrets, and marks of untrusted text. The default is
    /// [`ResultPipeline::new`]. If the pipeline stores truncated output, its tool for reading that output is served too.
    pub fn results(mut self, pipeline: ResultPipeline) -> Self {
        self.settings.results = pipeline;
        self
    }

    /// Sets how many calls of one principal run at once. The default is 32. Further calls wait.
    pub fn max_running(mut self, calls: usize) -> Self {
        self.settings.limits.running = calls.max(1);
        self
    }

    /// Sets how many calls of one principal are open at once, running or waiting. The default is 256. Further calls fail.
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.settings.limits.calls = calls.max(1);
        self
    }

    /// Sets how many calls of one principal are suspended at once until the client sends their input. The default is 16.
    pub fn max_suspended(mut self, calls: usize) -> Self {
        self.settings.limits.suspended = calls;
        self
    }

    /// Sets how long a client may take to answer a request for input. The default is ten minutes, after which the call ends.
    pub fn input_timeout(mut self, timeout: Duration) -> Self {
        self.settings.limits.input_timeout = timeout;
        self
    }

    /// Sets the prompts. The list may be replaced while it is served.
    pub fn prompts(mut self, prompts: Prompts) -> Self {
        self.settings.prompts = Some(prompts);
        self
    }

    /// Adds a source of resources. If several sources have the same URI, the first one is used.
    pub fn resources(mut self, resources: Arc<dyn ResourceSource>) -> Self {
        self.settings.resources.push(resources);
        self
    }

    /// Sets which calls become tasks, if the client supports tasks. The default is [`TaskPolicy::new`].
    pub fn tasks(mut self, policy: TaskPolicy) -> Self {
        self.settings.tasks = policy;
        self
    }

    /// Sets the skills that are served with the tools.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, skills: Arc<SkillLibrary>) -> Self {
        self.settings.skills = Some(skills);
        self
    }

    /// Builds the server.
    #[must_use]
    pub fn build(self) -> Server {
        let mut settings = self.settings;
        let result_tools = settings.results.toolset();
        if !result_tools.names().is_empty() {
            settings.toolset = settings.toolset.layered(&result_tools);
        }
        Server {
            state: Arc::new(ServerState::new(settings)),
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
