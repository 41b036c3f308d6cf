//! What makes the agent of a command line.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::agent::reading::Reader;
use crate::cli::assembly::Assembly;
use crate::cli::{permissions, session_folder};
use crate::model::Model;
use crate::permission::Policy;
use crate::tool::ToolContext;

/// What the agent works with.
pub(in crate::cli) struct Job {
    pub(in crate::cli) model: Arc<dyn Model>,
    pub(in crate::cli) policy: Policy,
    pub(in crate::cli) dry_run: bool,
    /// Whether questions are put off.
    pub(in crate::cli) defers: bool,
}

impl Job {
    /// Makes a job that does things, and puts no question off.
    pub(in crate::cli) fn new(model: Arc<dyn Model>, policy: Policy) -> Self {
        Self {
            model,
            policy,
            dry_run: false,
            defers: false,
        }
    }

    /// Makes the agent, all but the one who approves. What is cut of a result lies beside the session of a conversation
    /// that is kept, so that another process can read on in it.
    pub(in crate::cli) fn agent(&self, assembly: &Assembly, is_kept: bool) -> Agent {
        let mut agent = Agent::with_model("main", self.model.clone())
            .toolset(assembly.toolset.clone())
            .policy(self.policy.clone())
            .rule_files(permissions::files(assembly));
        if let Some(instructions) = instructions(assembly) {
            agent = agent.instructions(instructions);
        }
        if is_kept && let Ok(results) = session_folder::results(assembly.package.name) {
            agent = agent.reader(Reader::new().spill(Arc::new(results)));
        }
        agent
    }

    /// Makes the context of the calls of a turn.
    pub(in crate::cli) fn context(
        &self,
        assembly: &Assembly,
        stop: CancellationToken,
    ) -> ToolContext {
        let context = assembly.context().derive().dry_run(self.dry_run);
        context.cancellation(stop).build()
    }
}

/// Joins the app's instructions and the list of its skills.
fn instructions(assembly: &Assembly) -> Option<String> {
    #[cfg(feature = "skills")]
    let skills = (!assembly.skills.is_empty()).then(|| assembly.skills.prompt());
    #[cfg(not(feature = "skills"))]
    let skills: Option<String> = None;
    let parts: Vec<String> = assembly
        .instructions
        .iter()
        .cloned()
        .chain(skills)
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
