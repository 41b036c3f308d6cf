//! What is embedded: sets of skills, made of constants.

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
/// Everything that a catalogue needs of it is a constant: nothing is parsed or allocated at start-up.
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
    /// Makes a skill of the text of its SKILL.md and the offset at which the body begins. For generated code.
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

    /// Sets the folder name, which is the skill's name in other code points. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_folder(self, folder: &'static str) -> Self {
        Self { folder, ..self }
    }

    /// Marks a skill that is one tool, too. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_tool(self) -> Self {
        Self {
            is_tool: true,
            ..self
        }
    }

    /// Marks a skill that only people may start. For generated code.
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

    /// Returns the byte of [`source`](Self::source) at which the body begins.
    #[must_use]
    pub const fn body_start(&self) -> usize {
        self.body_start
    }

    /// Returns the instructions: the text of the SKILL.md behind its front matter.
    #[must_use]
    pub fn body(&self) -> &'static str {
        self.source.get(self.body_start..).unwrap_or_default()
    }

    /// Returns whether the skill asks to be one tool, too: `tool: true`.
    #[must_use]
    pub const fn is_tool(&self) -> bool {
        self.is_tool
    }

    /// Returns whether a model may start the skill by itself: no `disable-model-invocation: true`.
    #[must_use]
    pub const fn model_invocable(&self) -> bool {
        self.model_invocable
    }

    /// Returns every file, sorted by path. The SKILL.md is one of them.
    #[must_use]
    pub const fn files(&self) -> &'static [EmbeddedFile] {
        self.files
    }

    /// Finds a file by its path below the skill's folder, as in `scripts/fill.py`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&'static EmbeddedFile> {
        let index = self.files.binary_search_by(|file| file.path().cmp(path));
        index.ok().map(|index| &self.files[index])
    }
}
