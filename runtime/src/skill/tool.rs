//! The tool that gives the model a skill: written with the public macro, like a user's.

use super::{SkillCatalog, SkillError};
use crate::tools;

#[tools]
impl SkillCatalog {
    /// Gives the whole instructions of one of the available skills.
    ///
    /// Call it as soon as a task fits a skill's description, before anything else, and follow what it says.
    #[tool(read_only, title = "Load a skill")]
    fn load_skill(
        &self,
        /// The skill's name, as the list of available skills has it.
        name: &str,
    ) -> Result<String, SkillError> {
        let span = tracing::info_span!(
            "load_skill",
            otel.name = format_args!("load_skill {name}"),
            gen_ai.operation.name = "load_skill",
            gen_ai.skill.name = name,
            "error.type" = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
        );
        let loaded = span.in_scope(|| self.load(name));
        if loaded.is_err() {
            span.record("error.type", "not_found");
            span.record("otel.status_code", "ERROR");
        }
        loaded.map(|skill| skill.to_string())
    }
}
