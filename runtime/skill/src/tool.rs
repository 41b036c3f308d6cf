//! The tools that load skills for a model, written with the public macro.

use super::active_skills::{ActiveSkill, ActiveSkills};
use super::file_view::{LineWindow, render_file};
use super::{Skill, SkillError, SkillLibrary};
use helve_core::tool::{ToolContext, ToolError};
use helve_core::transcript::ToolCall;
use helve_core::{ToolOutput, tools};

/// The name of the tool that returns the instructions of a skill.
pub const LOAD_SKILL: &str = "load_skill";

/// The name of the tool that reads a file of a skill.
pub const READ_SKILL_FILE: &str = "read_skill_file";

/// Returns the name of the skill that a call loads; `None` if the call is of another tool.
pub fn requested_skill(call: &ToolCall) -> Option<String> {
    if call.name != LOAD_SKILL {
        return None;
    }
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    arguments["name"].as_str().map(str::to_owned)
}

#[tools]
impl SkillLibrary {
    /// Gives the whole instructions of one of the available skills.
    ///
    /// Call it as soon as a task fits a skill's description, before anything else, and follow what it says.
    #[tool(read_only, always, title = "Load a skill")]
    async fn load_skill(
        &self,
        /// The skill's name, as the list of available skills has it.
        name: &str,
        /// What the skill is to work on, for a skill that takes arguments.
        arguments: Option<&str>,
        cx: &ToolContext,
    ) -> Result<String, SkillError> {
        let catalog = self.current();
        activate(
            catalog.find_usable(name).await,
            name,
            arguments.unwrap_or_default(),
            cx,
        )
        .await
    }

    /// Reads one of the files that a skill lists, such as a reference or a script.
    ///
    /// Returns at most 2,000 lines from `offset` on, each cut at 2,000 characters, and says how to go on when there are
    /// more. The number and the tab before each line are not part of the file.
    #[tool(read_only, always, title = "Read a skill's file")]
    async fn read_skill_file(
        &self,
        /// The skill's name.
        skill: &str,
        /// Path of the file, exactly as the skill lists it.
        #[arg(example = "references/fields.md")]
        path: &str,
        /// First line to return, from 1.
        #[arg(default = 1, min = 1)]
        offset: u64,
        /// Most lines to return.
        #[arg(default = 2000, min = 1, max = 2000)]
        limit: u64,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let catalog = self.current();
        let skill = catalog.find_usable(skill).await.map_err(ToolError::from)?;
        let window = LineWindow {
            offset,
            limit,
            budget: cx.result_budget(),
        };
        render_file(skill, path, window).await
    }
}

/// Loads a skill for a model, and records it in the session. A repeated load returns a short note.
pub(super) async fn activate(
    skill: Result<&Skill, SkillError>,
    name: &str,
    arguments: &str,
    cx: &ToolContext,
) -> Result<String, SkillError> {
    use tracing::Instrument as _;

    let span = tracing::info_span!(
        "load_skill",
        otel.name = format_args!("load_skill {name}"),
        gen_ai.operation.name = "load_skill",
        gen_ai.skill.name = name,
        "error.type" = tracing::field::Empty,
        otel.status_code = tracing::field::Empty,
    );
    let loaded = async { load(skill?, arguments, cx).await };
    let loaded = loaded.instrument(span.clone()).await;
    if let Err(error) = &loaded {
        let kind = match error {
            SkillError::Unknown { .. } => "not_found",
            _ => "unavailable",
        };
        span.record("error.type", kind);
        span.record("otel.status_code", "ERROR");
    }
    loaded
}

async fn load(skill: &Skill, arguments: &str, cx: &ToolContext) -> Result<String, SkillError> {
    if !skill.is_model_invocable() {
        let name = skill.name().to_owned();
        return Err(SkillError::UserOnly { name });
    }
    let active = ActiveSkill {
        name: skill.name().to_owned(),
        digest: skill.digest(),
        arguments: arguments.trim().to_owned(),
    };
    if let Some(before) = ActiveSkills::find(&cx.conversation_state(), skill.name())
        && before.digest == active.digest
    {
        let note = already_loaded_note(&before, &active);
        ActiveSkills::activate(&cx.conversation_state(), active);
        return Ok(note);
    }
    let loaded = super::LoadedSkill::load(skill).await?;
    // Recorded last, because a skill that could not be read is not active.
    let before = ActiveSkills::activate(&cx.conversation_state(), active);
    let text = loaded.with_arguments(arguments).to_string();
    Ok(match before {
        None => text,
        Some(_) => format!(
            "The skill changed after you loaded it. These instructions replace the earlier ones.\n{text}"
        ),
    })
}

fn already_loaded_note(before: &ActiveSkill, now: &ActiveSkill) -> String {
    let name = &now.name;
    let known = format!(
        "The skill `{name}` is already loaded and has not changed: follow its instructions above"
    );
    let arguments = &now.arguments;
    if *arguments == before.arguments || arguments.is_empty() {
        format!("{known}.")
    } else {
        format!("{known}, with these arguments instead of the earlier ones: {arguments}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{LOAD_SKILL, READ_SKILL_FILE};
    use crate::{SkillCatalog, SkillLibrary};

    #[test]
    fn the_names_are_those_of_the_tools() {
        let library = Arc::new(SkillLibrary::new(SkillCatalog::new()));
        let mut names = SkillLibrary::toolset(library).names();
        names.sort();
        assert_eq!(names, [LOAD_SKILL, READ_SKILL_FILE]);
    }
}
