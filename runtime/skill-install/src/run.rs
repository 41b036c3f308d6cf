//! The tool that runs a skill by its entry, and pauses a skill that keeps failing.

use std::sync::Arc;

use helve_core::sandbox::Exit;
use helve_core::tool::{Coverage, ToolContext, ToolError, ToolOutput};
use helve_core::tools;
use helve_core::toolset::Toolset;
use helve_skill::SkillScripts;

use crate::candidate::entry;
use crate::manager::{SkillManager, failed};
use crate::status::SkillStatus;

/// Runs the entries of skills.
pub(crate) struct SkillRunner {
    manager: Arc<SkillManager>,
    scripts: SkillScripts,
}

impl SkillRunner {
    pub(crate) fn new(manager: &Arc<SkillManager>) -> Self {
        Self {
            manager: Arc::clone(manager),
            scripts: SkillScripts::new(Arc::clone(manager.library())),
        }
    }

    pub(crate) fn into_toolset(self) -> Toolset {
        Self::toolset(Arc::new(self))
    }

    /// Records the end of a run, and returns the status of the skill.
    async fn record(&self, name: &str, failure: Option<String>) -> Result<SkillStatus, ToolError> {
        let statuses = self.manager.installer().statuses().clone();
        let (name, project) = (name.to_owned(), self.manager.project().to_owned());
        let work = move || statuses.record_run(&name, &project, failure.as_deref());
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| ToolError::caused_by(Box::new(error)))?
            .map_err(failed)
    }
}

#[tools]
impl SkillRunner {
    /// Runs a skill that has a script as its entry, and returns what it writes.
    ///
    /// It runs in the sandbox, as with `run_skill_script`. A skill that fails three times in a row is paused.
    #[tool(
        title = "Run a skill",
        open_world,
        untrusted_output,
        max_result_chars = 30_000,
        requires(process),
        match_rule = covers
    )]
    async fn run_skill(
        &self,
        /// The skill's name.
        name: &str,
        /// The arguments of its entry, one by one.
        #[arg(default)]
        arguments: &[String],
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let catalog = self.manager.library().current();
        let status = self.manager.installer().statuses().clone();
        let (owned, project) = (name.to_owned(), self.manager.project().to_owned());
        let read = tokio::task::spawn_blocking(move || status.get(&owned, &project)).await;
        let status = read
            .map_err(|error| ToolError::caused_by(Box::new(error)))?
            .map_err(failed)?;
        if let Some(reason) = status.unused_reason() {
            let why = format!("the skill `{name}` is {reason}");
            return Err(ToolError::failed(why));
        }
        let skill = catalog
            .find(name)
            .map_err(|error| ToolError::caused_by(Box::new(error)))?;
        let entry = entry(&skill.front_matter()).ok_or_else(|| {
            ToolError::failed(format!(
                "the skill `{name}` has no entry (`entry` in its `metadata`); load it with `load_skill`, and run its scripts with `run_skill_script`"
            ))
        })?;
        let ran = self.scripts.run(name, &entry, arguments, cx).await;
        if cx.is_dry_run() {
            return ran;
        }
        let failure = match &ran {
            Ok(output) => output
                .exit()
                .filter(|exit| !matches!(exit, Exit::Code(0)))
                .map(ToString::to_string),
            // The skill is not the reason.
            Err(ToolError::Cancelled(_) | ToolError::NotAvailable(_) | ToolError::Denied(_)) => {
                return ran;
            }
            Err(error) => Some(error.to_string()),
        };
        let status = self.record(name, failure).await?;
        match (ran, status.paused) {
            (Ok(output), Some(pause)) => {
                Ok(output.with_note(format!("[the skill is paused: {}]", pause.reason)))
            }
            (ran, _) => ran,
        }
    }
}

/// Returns the coverage of a rule: a name forbids a skill, and does not allow one, since another skill can have it later.
fn covers(_: &ToolContext, rule: &str, name: &str, _: &[String]) -> Coverage {
    Coverage::from_parts([rule == name, false])
}
