//! Sources of skills: the binary, a folder, a server, or a custom source.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::{Skill, SkillError, SkillOrigin, SkillSet};

/// The future of an operation of a source.
pub type SourceFuture<'a, T> = BoxFuture<'a, Result<T, SkillError>>;

/// A source of skills, which may change while the process runs.
///
/// A [`SkillCatalog`](super::SkillCatalog) holds the skills that sources have listed. The methods must
/// not block the executor, and must limit their own work, because the contents of a folder or a server
/// are not trusted.
pub trait SkillSource: fmt::Debug + Send + Sync {
    /// Returns the origin of the skills, which decides the precedence of skills with the same name.
    fn origin(&self) -> SkillOrigin;

    /// Lists the skills, and the problems of invalid ones. An invalid skill is a problem in the list,
    /// and not an error.
    ///
    /// # Errors
    ///
    /// If nothing can be listed, for example because a server does not answer. A missing folder gives
    /// an empty list.
    fn list(&self) -> SourceFuture<'_, SkillList>;

    /// Reads one file of a listed skill.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has changed since it was listed.
    fn read<'a>(&'a self, skill: &'a str, path: &'a str) -> SourceFuture<'a, Cow<'static, [u8]>>;

    /// Returns a number that changes when the skills change. The method is called at the start of each
    /// turn, and must be cheap.
    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(std::future::ready(0))
    }
}

/// The result of listing a source: skills, and problems.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SkillList {
    /// The skills.
    pub skills: Vec<Skill>,
    /// The problems of skills that are invalid or questionable.
    pub problems: Vec<SkillProblem>,
    /// The [revision](SkillSource::revision) of the list.
    pub revision: u64,
}

impl SkillList {
    /// Creates a list of skills without problems.
    pub fn new(skills: impl IntoIterator<Item = Skill>) -> Self {
        Self {
            skills: skills.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds a problem.
    #[must_use]
    pub fn with_problem(mut self, problem: SkillProblem) -> Self {
        self.problems.push(problem);
        self
    }

    /// Sets the revision of the list.
    #[must_use]
    pub fn with_revision(mut self, revision: u64) -> Self {
        self.revision = revision;
        self
    }
}

/// A problem of a source, such as an invalid skill or a folder that is too large.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillProblem {
    /// The problem, its location, and what to do, in one or more lines.
    pub message: String,
    /// Whether the skill is left out because of the problem.
    pub is_error: bool,
    /// The name of the skill's folder, if the problem is that of one folder.
    pub skill: Option<String>,
    /// The path of that folder, if it is on this machine.
    pub folder: Option<PathBuf>,
}

impl SkillProblem {
    /// Creates a problem for which a skill is left out.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_error: true,
            skill: None,
            folder: None,
        }
    }

    /// Creates a problem that is only reported.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            is_error: false,
            ..Self::error(message)
        }
    }

    /// Sets the name of the skill.
    #[must_use]
    pub fn with_skill(mut self, skill: impl Into<String>) -> Self {
        self.skill = Some(skill.into());
        self
    }

    /// Sets the folder on this machine.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }
}

impl fmt::Display for SkillProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An embedded set never changes, and its skills were checked at compile time.
impl SkillSource for &'static SkillSet {
    fn origin(&self) -> SkillOrigin {
        SkillOrigin::Embedded {
            package: self.package(),
            folder: self.folder(),
        }
    }

    fn list(&self) -> SourceFuture<'_, SkillList> {
        let set: &'static SkillSet = self;
        let skills = set.skills().iter();
        let skills = skills.map(|skill| Skill::from_embedded(set, skill));
        Box::pin(std::future::ready(Ok(SkillList::new(skills))))
    }

    fn read<'a>(&'a self, skill: &'a str, path: &'a str) -> SourceFuture<'a, Cow<'static, [u8]>> {
        Box::pin(async move {
            let set: &'static SkillSet = self;
            match set.skills().iter().find(|known| known.name() == skill) {
                Some(found) => Skill::from_embedded(set, found).read(path).await,
                None => {
                    let known = set.skills().iter().map(super::EmbeddedSkill::name);
                    Err(SkillError::unknown(skill, known))
                }
            }
        })
    }
}
