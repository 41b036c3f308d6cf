//! Fetched skills: checked, scanned, and selected by name.

use helve_core::support::hex;
use helve_skill::Skill;
use sha2::{Digest as _, Sha256};

use crate::archive::ArchiveKind;
use crate::candidate::{CandidateRules, SkillCandidate};
use crate::discover::{FoundSkills, skills_of_archive};
use crate::error::InstallError;
use crate::source::InstallSource;

/// Where the content of a source was, as the lock file records it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Revision {
    /// The commit that the branch or the tag named.
    pub commit: Option<String>,
    /// The tag that was asked for, which must not move.
    pub tag: Option<String>,
    /// The SHA-256 of the downloaded archive or file.
    pub sha256: Option<String>,
}

/// The skills of a source.
#[derive(Debug)]
#[non_exhaustive]
pub struct FetchedSkills {
    /// The source, as it was asked for.
    pub source: InstallSource,
    /// Where the content was.
    pub revision: Revision,
    /// The skills, sorted by folder.
    pub skills: Vec<SkillCandidate>,
    /// The reasons against the other skills.
    pub problems: Vec<InstallError>,
}

/// The name and the description of a skill that a source offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferedSkill {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
}

impl FetchedSkills {
    pub(super) fn new(
        source: &InstallSource,
        revision: Revision,
        found: FoundSkills,
        rules: CandidateRules,
    ) -> Result<Self, InstallError> {
        let (mut skills, mut problems) = (Vec::new(), Vec::new());
        for (folder, tree) in found {
            match tree.and_then(|tree| SkillCandidate::new(tree, &folder, rules)) {
                Ok(skill) => skills.push(skill),
                Err(error) => problems.push(error),
            }
        }
        if skills.is_empty() {
            return Err(match problems.into_iter().next() {
                Some(problem) => problem,
                None => InstallError::NoSkills {
                    place: format!("`{source}`"),
                },
            });
        }
        Ok(Self::from_candidates(source, revision, skills, problems))
    }

    /// Reads skills of a catalogue, such as those of an MCP server; only those with these names if there are any.
    ///
    /// # Errors
    /// When there is no skill, or a file cannot be read.
    pub async fn read_catalog(
        source: &InstallSource,
        skills: &[Skill],
        names: &[String],
    ) -> Result<Self, InstallError> {
        let (mut read, mut problems) = (Vec::new(), Vec::new());
        for skill in skills {
            match SkillCandidate::from_skill(skill).await {
                Ok(skill) => read.push(skill),
                Err(error) => problems.push(error),
            }
        }
        if read.is_empty() {
            return Err(problems.pop().unwrap_or_else(|| InstallError::NoSkills {
                place: format!("`{source}`"),
            }));
        }
        let mut fetched = Self::from_candidates(source, Revision::default(), read, problems);
        fetched.select(names)?;
        Ok(fetched)
    }

    /// Creates a single skill of a source, as the lock file has it.
    pub(crate) fn from_text(source: &str, skill: SkillCandidate, revision: Revision) -> Self {
        let parsed = source.parse();
        let source = parsed.unwrap_or_else(|_| InstallSource::Hub(source.to_owned()));
        Self::from_candidates(&source, revision, vec![skill], Vec::new())
    }

    pub(super) fn from_candidates(
        source: &InstallSource,
        revision: Revision,
        skills: Vec<SkillCandidate>,
        problems: Vec<InstallError>,
    ) -> Self {
        Self {
            source: source.clone(),
            revision,
            skills,
            problems,
        }
    }

    /// Keeps the skills with these names; all if there are none.
    pub(super) fn select(&mut self, names: &[String]) -> Result<(), InstallError> {
        let known = || self.skills.iter().map(|skill| skill.name.clone()).collect();
        if let Some(name) = names
            .iter()
            .find(|name| self.skills.iter().all(|skill| skill.name != **name))
        {
            // The skill may be there, and refused.
            let problem = self
                .problems
                .iter()
                .position(|problem| problem.to_string().contains(&**name));
            return Err(match problem {
                Some(at) => self.problems.swap_remove(at),
                None => InstallError::Unknown {
                    name: name.clone(),
                    place: "in the source",
                    known: known(),
                },
            });
        }
        if !names.is_empty() {
            self.skills.retain(|skill| names.contains(&skill.name));
            self.problems.clear();
        }
        let mut names: Vec<&str> = self
            .skills
            .iter()
            .map(|skill| skill.name.as_str())
            .collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let reason = format!(
                "two of its skills have the name `{}`; name the folder of one",
                pair[0]
            );
            return Err(InstallError::refused("the source", reason));
        }
        Ok(())
    }
}

/// Unpacks an archive on a thread for blocking work.
pub(super) async fn unpack(
    bytes: Vec<u8>,
    kind: ArchiveKind,
    base: Option<String>,
) -> Result<FoundSkills, InstallError> {
    let work = move || skills_of_archive(&bytes, kind, base.as_deref());
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(InstallError::refused("the archive", error.to_string())))
}

/// Returns the SHA-256 as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}
