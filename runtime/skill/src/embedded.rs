//! Embedded skills: sets of skills made of constants.

mod compressed;
mod drift;
mod file;
mod set;

pub use compressed::CompressedContents;
pub use drift::Drift;
pub use file::{EmbeddedFile, EmbeddedFileError};
pub use set::{SkillSet, SourceFolder};

/// A skill: instructions for a model, with the files that they refer to.
///
/// All metadata is constant: nothing is parsed or allocated at start-up.
#[derive(Debug)]
pub struct EmbeddedSkill {
    name: &'static str,
    folder: &'static str,
    description: &'static str,
    source: &'static str,
    body_start: usize,
    is_tool: bool,
    model_invocable: bool,
    files: &'static [EmbeddedFile],
}

impl EmbeddedSkill {
    /// Creates a skill from the text of its SKILL.md and the byte offset of the body. For generated
    /// code.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        source: &'static str,
        body_start: usize,
        files: &'static [EmbeddedFile],
    ) -> Self {
        Self {
            name,
            folder: name,
            description,
            source,
            body_start,
            is_tool: false,
            model_invocable: true,
            files,
        }
    }

    /// Sets the folder name, if it spells the skill's name in other code points. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_folder(self, folder: &'static str) -> Self {
        Self { folder, ..self }
    }

    /// Marks a skill that is also exposed as a tool. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_tool(self) -> Self {
        Self {
            is_tool: true,
            ..self
        }
    }

    /// Marks a skill that only the user may start. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn user_invocable_only(self) -> Self {
        Self {
            model_invocable: false,
            ..self
        }
    }

    /// Returns the name: lower-case letters, digits and hyphens.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) const fn folder(&self) -> &'static str {
        self.folder
    }

    /// Returns what the skill does and when to use it.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the whole text of the SKILL.md, front matter included.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the byte offset in [`source`](Self::source) at which the body begins.
    #[must_use]
    pub const fn body_start(&self) -> usize {
        self.body_start
    }

    /// Returns the instructions: the text of the SKILL.md after its front matter.
    #[must_use]
    pub fn body(&self) -> &'static str {
        self.source.get(self.body_start..).unwrap_or_default()
    }

    /// Returns whether the skill is also exposed as a tool: `tool: true`.
    #[must_use]
    pub const fn is_tool(&self) -> bool {
        self.is_tool
    }

    /// Returns whether a model may start the skill: no `disable-model-invocation: true`.
    #[must_use]
    pub const fn model_invocable(&self) -> bool {
        self.model_invocable
    }

    /// Returns all files, sorted by path, including the SKILL.md.
    #[must_use]
    pub const fn files(&self) -> &'static [EmbeddedFile] {
        self.files
    }

    /// Returns the file at a path relative to the skill's folder, as in `scripts/fill.py`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&'static EmbeddedFile> {
        let index = self.files.binary_search_by(|file| file.path().cmp(path));
        index.ok().map(|index| &self.files[index])
    }
}
