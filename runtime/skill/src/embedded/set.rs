//! The skills of one folder, and where they came from.

use super::EmbeddedSkill;

/// The skills of one folder, and the package that embeds them.
#[derive(Debug)]
pub struct SkillSet {
    package: &'static str,
    folder: &'static str,
    skills: &'static [EmbeddedSkill],
    pub(super) source_folder: Option<SourceFolder>,
}

/// The folder that a set was read from, known to builds with debug assertions alone. For generated code.
#[doc(hidden)]
#[derive(Debug)]
pub struct SourceFolder {
    /// The folder on the machine that built the set.
    pub path: &'static str,
    /// What was left out of it.
    pub exclude: &'static [&'static str],
}

impl SkillSet {
    /// Makes a set. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        package: &'static str,
        folder: &'static str,
        skills: &'static [EmbeddedSkill],
    ) -> Self {
        Self {
            package,
            folder,
            skills,
            source_folder: None,
        }
    }

    /// Sets where the set was read from. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_source_folder(self, built_from: SourceFolder) -> Self {
        Self {
            source_folder: Some(built_from),
            ..self
        }
    }

    /// Returns the name of the package that embeds the set.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.package
    }

    /// Returns the folder, below that of the package.
    #[must_use]
    pub const fn folder(&self) -> &'static str {
        self.folder
    }

    /// Returns the skills.
    #[must_use]
    pub const fn skills(&self) -> &'static [EmbeddedSkill] {
        self.skills
    }
}
