//! A skill as a model receives it.

use std::borrow::Cow;
use std::fmt;

use super::skill::SKILL_MD;
use super::{Skill, SkillError, SkillFile, Substitution};

/// The greatest number of listed files. A skill can have a thousand.
const MAX_LISTED_FILES: usize = 50;

/// A skill as a model receives it: the instructions and a list of the files, without their contents.
///
/// `Display` renders the text for the model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedSkill {
    /// The skill.
    pub skill: Skill,
    /// The instructions, with the arguments substituted.
    pub body: String,
    /// The number of files that are listed after the instructions, without the SKILL.md.
    pub listed_files: usize,
    /// The number of files that are not listed.
    pub more_files: usize,
    /// The tools of the skill's `allowed-tools`. The request grants nothing.
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

    /// Substitutes arguments in the instructions; see [`Substitution`].
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

    /// Returns the listed files, sorted by path.
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
