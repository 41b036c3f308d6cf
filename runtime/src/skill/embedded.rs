//! What is embedded: sets of skills, made of constants.

/// A skill: instructions for a model, with the files that they speak of.
#[derive(Debug)]
pub struct EmbeddedSkill {
    name: &'static str,
    description: &'static str,
    source: &'static str,
    body_start: usize,
    files: &'static [EmbeddedFile],
}

impl EmbeddedSkill {
    /// Makes a skill of the text of its SKILL.md and the offset at which the body begins. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn embedded(
        name: &'static str,
        description: &'static str,
        source: &'static str,
        body_start: usize,
        files: &'static [EmbeddedFile],
    ) -> Self {
        Self {
            name,
            description,
            source,
            body_start,
            files,
        }
    }

    /// Gives the name: lower-case letters, digits and hyphens.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Says what the skill does and when to use it.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Gives the instructions: the text of the SKILL.md behind its front matter.
    #[must_use]
    pub fn body(&self) -> &'static str {
        self.source.get(self.body_start..).unwrap_or_default()
    }

    /// Gives every file, sorted by path. The SKILL.md is one of them.
    #[must_use]
    pub const fn files(&self) -> &'static [EmbeddedFile] {
        self.files
    }

    /// Finds a file by its path below the skill's folder, as in `scripts/fill.py`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&'static EmbeddedFile> {
        self.files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()
            .map(|index| &self.files[index])
    }
}

/// A file of a skill, as it was when the binary was built.
pub struct EmbeddedFile {
    path: &'static str,
    bytes: &'static [u8],
    sha256: [u8; 32],
    executable: bool,
    utf8: bool,
}

impl EmbeddedFile {
    /// Makes a file of what is known about it. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn embedded(
        path: &'static str,
        bytes: &'static [u8],
        sha256: [u8; 32],
        executable: bool,
        utf8: bool,
    ) -> Self {
        Self {
            path,
            bytes,
            sha256,
            executable,
            utf8,
        }
    }

    /// Gives the path below the skill's folder, with `/` on every system.
    #[must_use]
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Gives the contents.
    #[must_use]
    pub const fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    /// Gives the contents as text, if they are UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&'static str> {
        if self.utf8 {
            str::from_utf8(self.bytes).ok()
        } else {
            None
        }
    }

    /// Counts the bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Gives the SHA-256 of the contents.
    #[must_use]
    pub const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Tells whether the file had an executable bit, or begins with `#!`.
    #[must_use]
    pub const fn is_executable(&self) -> bool {
        self.executable
    }

    /// Tells whether the contents are UTF-8.
    #[must_use]
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }
}

// By hand: nobody wants to see the bytes.
impl std::fmt::Debug for EmbeddedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedFile")
            .field("path", &self.path)
            .field("size", &self.size())
            .field("executable", &self.executable)
            .field("utf8", &self.utf8)
            .finish_non_exhaustive()
    }
}

/// The skills of one folder, and the package that embeds them.
#[derive(Debug)]
pub struct SkillSet {
    package: &'static str,
    folder: &'static str,
    skills: &'static [EmbeddedSkill],
}

impl SkillSet {
    /// Makes a set. `include_skills!` writes a static one.
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
        }
    }

    /// Gives the name of the package that embeds the set.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.package
    }

    /// Gives the folder, below that of the package.
    #[must_use]
    pub const fn folder(&self) -> &'static str {
        self.folder
    }

    /// Gives the skills.
    #[must_use]
    pub const fn skills(&self) -> &'static [EmbeddedSkill] {
        self.skills
    }
}
