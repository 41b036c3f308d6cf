//! Where skills come from: what ships in the binary, a folder, a server, something of the host's own.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::{Skill, SkillError, SkillOrigin, SkillSet};

/// What a source does, without blocking.
pub type SourceFuture<'a, T> = BoxFuture<'a, Result<T, SkillError>>;

/// A place that has skills, which may change while the process runs.
///
/// A [`SkillCatalog`](super::SkillCatalog) holds what sources listed. None of the methods may block the executor, and
/// each has to come to an end by itself: what a folder or a server holds is anyone's.
pub trait SkillSource: fmt::Debug + Send + Sync {
    /// Returns where its skills come from, which decides which of two of one name stands.
    fn origin(&self) -> SkillOrigin;

    /// Lists the skills, and what is wrong with those that are none. A bad skill is a problem and never an error.
    ///
    /// # Errors
    ///
    /// If nothing can be listed, as where a server does not answer. A folder that is not there is an empty list.
    fn list(&self) -> SourceFuture<'_, SkillList>;

    /// Reads one file of a skill that was listed.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no longer what was listed.
    fn read<'a>(&'a self, skill: &'a str, path: &'a str) -> SourceFuture<'a, Cow<'static, [u8]>>;

    /// Returns a number that is another one when the skills have changed. It is asked at the start of each turn, so it
    /// has to be cheap.
    fn revision(&self) -> BoxFuture<'_, u64> {
        Box::pin(std::future::ready(0))
    }
}

/// What a source lists: skills, and what is wrong with others.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SkillList {
    /// The skills.
    pub skills: Vec<Skill>,
    /// What is wrong with the others.
    pub problems: Vec<SkillProblem>,
    /// The [revision](SkillSource::revision) of the list.
    pub revision: u64,
}

impl SkillList {
    /// Creates a list of skills with nothing wrong.
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

    /// Sets which state of the source this is.
    #[must_use]
    pub fn with_revision(mut self, revision: u64) -> Self {
        self.revision = revision;
        self
    }
}

/// Something that is wrong in a source: a skill that is none, a folder that is too large.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillProblem {
    /// What is wrong, where, and what to do; of one or more lines.
    pub message: String,
    /// Whether the skill is left out for it.
    pub is_error: bool,
    /// The name of the folder that would be a skill, if it is one folder's problem.
    pub skill: Option<String>,
    /// That folder, if it is on this machine.
    pub folder: Option<PathBuf>,
}

impl SkillProblem {
    /// Creates a problem for which something is left out.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_error: true,
            skill: None,
            folder: None,
        }
    }

    /// Creates a problem that is only said.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            is_error: false,
            ..Self::error(message)
        }
    }

    /// Sets which skill it is about.
    #[must_use]
    pub fn with_skill(mut self, skill: impl Into<String>) -> Self {
        self.skill = Some(skill.into());
        self
    }

    /// Sets which folder on this machine it is about.
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
