//! The system prompt: its parts in a fixed order, the most variable ones last.

mod project;

pub use project::ProjectInstructions;

use super::setters::setters;
use helve_core::toolset::Toolset;

/// Builds a system prompt. Its parts have a fixed order, so that the parts that seldom change form a prefix that
/// providers can cache.
///
/// The order is: prefix, instructions, the instructions of tool groups, the catalogue of skills, the instructions of
/// the project, and finally the context values, which change most often.
///
/// ```
/// use helve::agent::SystemPrompt;
///
/// let prompt = SystemPrompt::new()
///     .context("date", "2026-11-22")
///     .instructions("You answer in one sentence.");
/// assert_eq!(prompt.render(), "You answer in one sentence.\n\n# Context\n\ndate: 2026-11-22");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SystemPrompt {
    prefix: Vec<String>,
    instructions: Vec<String>,
    groups: Vec<(String, String)>,
    skills: Option<String>,
    project: Option<ProjectInstructions>,
    context: Vec<(String, String)>,
}

impl SystemPrompt {
    /// Creates an empty prompt.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text that comes before everything else.
    #[must_use]
    pub fn prefix(mut self, text: impl Into<String>) -> Self {
        self.prefix.push(text.into());
        self
    }

    /// Adds instructions of the app.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions.push(text.into());
        self
    }

    /// Adds the instructions of a toolset for its groups of tools.
    #[must_use]
    pub fn tools(mut self, toolset: &Toolset) -> Self {
        for (group, text) in toolset.instructions() {
            self = self.tool_group(&*group, &*text);
        }
        self
    }

    /// Adds the instructions for the tools of a group. Instructions that are added again are rendered once.
    #[must_use]
    pub fn tool_group(mut self, group: impl Into<String>, text: impl Into<String>) -> Self {
        let said = (group.into(), text.into());
        if !self.groups.contains(&said) {
            self.groups.push(said);
        }
        self
    }

    setters! {
        /// Sets the catalogue of skills, as rendered by `SkillCatalog::prompt`.
        skills(catalogue: impl Into<String>) => skills = Some(catalogue.into());

        /// Sets the instructions of the project for agents.
        project(project: ProjectInstructions) => project = Some(project);
    }

    /// Sets a context value, such as the date or the working folder. The last value of a key applies.
    #[must_use]
    pub fn context(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        match self.context.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.context.push((key, value)),
        }
        self
    }

    /// Sets a context value unless the key is set.
    #[must_use]
    pub fn context_or(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        match self.context.iter().any(|(known, _)| *known == key) {
            true => self,
            false => self.context(key, value),
        }
    }

    /// Returns the part that stays the same while only context values change.
    #[must_use]
    pub fn render_stable(&self) -> String {
        let own = self.prefix.iter().chain(&self.instructions).cloned();
        let groups = self.groups.iter();
        let groups = groups.map(|(group, text)| format!("# Tools: {group}\n\n{}", text.trim()));
        let project = self.project.iter().map(ProjectInstructions::render);
        let parts = own.chain(groups).chain(self.skills.clone()).chain(project);
        join_sections(parts)
    }

    /// Returns the whole prompt.
    #[must_use]
    pub fn render(&self) -> String {
        let values = self.context.iter();
        let values = values.map(|(key, value)| format!("\n{key}: {}", one_line(value)));
        let mut context: String = values.collect();
        if !context.is_empty() {
            context = format!("# Context\n{context}");
        }
        join_sections([self.render_stable(), context])
    }
}

fn join_sections(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    let parts = parts.iter().map(|part| part.trim_matches('\n'));
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Renders a value on one line, so that it cannot imitate further lines.
fn one_line(value: &str) -> String {
    value.replace(|c: char| c.is_control(), " ")
}
