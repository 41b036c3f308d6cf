//! The set of skills of one folder, with its origin.

use super::EmbeddedSkill;

/// The skills of one folder, and the package that embeds them.
#[derive(Debug)]
pub struct SkillSet {
    package: &'static str,
    folder: &'static str,
    skills: &'static [EmbeddedSkill],
    pub(super) source_folder: Option<SourceFolder>,
}

/// The folder that a set was built from, recorded only in builds with debug assertions. For generated
/// code.
#[doc(hidden)]
#[derive(Debug)]
pub struct SourceFolder {
    /// The absolute path on the machine that built the set.
    pub path: &'static str,
    /// The exclude patterns of the build.
    pub exclude: &'static [&'static str],
}

impl SkillSet {
    /// Creates a set. For generated code.
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

    /// Sets the folder that the set was built from. For generated code.
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

    /// Returns the folder, relative to that of the package.
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
