//! The tools that give the model a skill: written with the public macro, like a user's.

use super::{SkillError, SkillLibrary};
use crate::tools;

#[tools]
impl SkillLibrary {
    /// Gives the whole instructions of one of the available skills.
    ///
    /// Call it as soon as a task fits a skill's description, before anything else, and follow what it says.
    #[tool(read_only, title = "Load a skill")]
    async fn load_skill(
        &self,
        /// The skill's name, as the list of available skills has it.
        name: &str,
    ) -> Result<String, SkillError> {
        let loaded = self.current().load(name).await;
        loaded.map(|skill| skill.to_string())
    }
}
