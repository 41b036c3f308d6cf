//! The settings of a server, as its builder collects them.

use std::sync::Arc;

use super::limits::Limits;
use super::prompts::Prompts;
use super::resources::ResourceSource;
use super::tasks::TaskPolicy;
use helve_agent::ResultCache;
use helve_agent::hook::HookChain;
use helve_core::tool::{Principal, ToolContext};
use helve_core::toolset::Toolset;
use helve_permission::{Approver, Policy};
use helve_results::ResultPipeline;
#[cfg(feature = "skills")]
use helve_skill::SkillLibrary;

/// Makes the context that the calls of a session derive theirs from.
pub(super) type ContextFactory = Arc<dyn Fn(&Principal) -> ToolContext + Send + Sync>;

pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) toolset: Toolset,
    pub(super) contexts: ContextFactory,
    pub(super) policy: Policy,
    /// Answers permission questions in place of the client's user.
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// The command line that adds a permission rule, for messages.
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

impl Settings {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
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
        }
    }
}
