//! What a model gets when it asks for a skill.

use std::borrow::Cow;
use std::fmt;

use super::skill::SKILL_MD;
use super::{Skill, SkillError, SkillFile, Substitution};

/// As many files as are listed. A skill can have a thousand.
const MAX_LISTED_FILES: usize = 50;

/// A skill as a model gets it: the instructions and a list of the files, never what is in them.
///
/// `Display` writes it for the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedSkill {
    /// The skill.
    pub skill: Skill,
    /// The instructions, with the arguments put in.
    pub body: String,
    /// How many files are listed below the instructions, besides the SKILL.md.
    pub listed_files: usize,
    /// How many more files there are.
    pub more_files: usize,
    /// The tools that the skill asks to use freely. It is not thereby allowed to.
    pub requested_tools: Vec<String>,
}

impl LoadedSkill {
    pub(super) async fn load(skill: &Skill) -> Result<Self, SkillError> {
        let body = skill.instructions().await?.trim().to_owned();
        let files = skill.files().filter(|file| file.path != SKILL_MD).count();
        let listed_files = files.min(MAX_LISTED_FILES);
        Ok(Self {
            skill: skill.clone(),
            body,
            listed_files,
            more_files: files - listed_files,
            requested_tools: skill.front_matter().allowed_tools(),
        })
    }

    /// Puts arguments into the instructions, as [`Substitution`] says.
    #[must_use]
    pub fn with_arguments(mut self, arguments: &str) -> Self {
        let front_matter = self.skill.front_matter();
        let takes = ["argument-hint", "arguments"];
        let given = Substitution::new(arguments)
            .positional(takes.iter().any(|field| front_matter.get(field).is_some()))
            .folder(self.skill.folder());
        if let Cow::Owned(body) = given.apply(&self.body) {
            self.body = body;
        }
        self
    }

    /// Returns the files that are listed, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = SkillFile<'_>> {
        let files = self.skill.files().filter(|file| file.path != SKILL_MD);
        files.take(self.listed_files)
    }
}

impl fmt::Display for LoadedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.skill.name();
        write!(f, "<skill name=\"{name}\">\n{}\n</skill>", self.body)?;
        if !self.requested_tools.is_empty() {
            let tools = self.requested_tools.join(", ");
            write!(
                f,
                "\n<requested_tools>\nThe skill requests these tools; the request does not allow them: {tools}\n</requested_tools>"
            )?;
        }
        if self.listed_files == 0 {
            return Ok(());
        }
        f.write_str("\n<skill_files>\n")?;
        for file in self.files() {
            let executable = if file.executable { ", executable" } else { "" };
            let bytes = if file.size == 1 { "byte" } else { "bytes" };
            writeln!(f, "{} ({} {bytes}{executable})", file.path, file.size)?;
        }
        if self.more_files > 0 {
            writeln!(f, "and {} more", self.more_files)?;
        }
        f.write_str("</skill_files>")
    }
}
