//! What a model gets when it asks for a skill.

use std::fmt;

use super::{EmbeddedFile, EmbeddedSkill};

/// As many files as are listed. A skill can have a thousand.
const LISTED: usize = 50;

/// A skill as a model gets it: the instructions and a list of the files, never what is in them.
///
/// `Display` writes it for the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedSkill {
    /// The name of the skill.
    pub name: &'static str,
    /// The instructions.
    pub body: &'static str,
    /// The first files besides the SKILL.md, sorted by path.
    pub files: Vec<&'static EmbeddedFile>,
    /// How many more files there are.
    pub more_files: usize,
}

impl LoadedSkill {
    pub(super) fn new(skill: &'static EmbeddedSkill) -> Self {
        let mut files: Vec<_> = skill
            .files()
            .iter()
            .filter(|file| file.path() != "SKILL.md")
            .collect();
        let more_files = files.len().saturating_sub(LISTED);
        files.truncate(LISTED);
        Self {
            name: skill.name(),
            body: skill.body(),
            files,
            more_files,
        }
    }
}

impl fmt::Display for LoadedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            body,
            files,
            more_files,
        } = self;
        write!(f, "<skill name=\"{name}\">\n{}\n</skill>", body.trim())?;
        if files.is_empty() {
            return Ok(());
        }
        f.write_str("\n<skill_files>\n")?;
        for file in files {
            let executable = if file.is_executable() {
                ", executable"
            } else {
                ""
            };
            let bytes = if file.size() == 1 { "byte" } else { "bytes" };
            writeln!(f, "{} ({} {bytes}{executable})", file.path(), file.size())?;
        }
        if *more_files > 0 {
            writeln!(f, "and {more_files} more")?;
        }
        f.write_str("</skill_files>")
    }
}
