//! The errors of skills: one for the programmer, one for the caller that requests a skill.

use std::fmt;
use std::sync::Arc;

use super::{EmbeddedFileError, Skill, SkillOrigin};

/// The error of a catalogue that cannot be created, for the programmer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Several embedded skills have the same name.
    #[error("{}", render_duplicates(.0))]
    Duplicates(
        /// The duplicate names, sorted.
        Vec<DuplicateSkill>,
    ),
}

/// A name that several embedded skills have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateSkill {
    /// The name.
    pub name: String,
    /// The origins of the skills: package and folder of each.
    pub origins: Vec<(String, String)>,
}

impl fmt::Display for DuplicateSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        write!(f, "{} skills are named `{name}`:", self.origins.len())?;
        for (index, (package, folder)) in self.origins.iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}`{folder}/{name}` of package `{package}`")?;
        }
        Ok(())
    }
}

fn render_duplicates(duplicates: &[DuplicateSkill]) -> String {
    let lines: Vec<_> = duplicates.iter().map(DuplicateSkill::to_string).collect();
    lines.join("\n")
}

/// The error of a request for a skill, for the model.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// No skill has that name.
    #[error("unknown skill `{name}`{}", suggestion(nearest.as_deref(), "skill", known))]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar name of a skill.
        nearest: Option<String>,
        /// The names of all available skills.
        known: Vec<String>,
    },
    /// The skill is not used at present.
    #[error("the skill `{name}` is {reason}")]
    Unused {
        /// The skill.
        name: String,
        /// The reason, such as `disabled`, and what the user can do.
        reason: String,
    },
    /// A model requested a skill that only the user may start.
    #[error(
        "only the user can start the skill `{name}`: ask the user to start it, and continue without it"
    )]
    UserOnly {
        /// The skill.
        name: String,
    },
    /// The skill has no file at the path.
    #[error("the skill `{skill}` has no file `{path}`{}", suggestion(nearest.as_deref(), "file", known))]
    NoSuchFile {
        /// The skill.
        skill: String,
        /// The requested path.
        path: String,
        /// The most similar path of a file.
        nearest: Option<String>,
        /// The paths of all files.
        known: Vec<String>,
    },
    /// A file was requested as text, and is not text.
    #[error("`{path}` of the skill `{skill}` is not text: it is not UTF-8")]
    NotText {
        /// The skill.
        skill: String,
        /// The file.
        path: String,
    },
    /// The requested line is past the end of the file.
    #[error(
        "`{path}` of the skill `{skill}` has only {total} lines; use an `offset` from 1 to {total}"
    )]
    NoSuchLine {
        /// The skill.
        skill: String,
        /// The file.
        path: String,
        /// The requested line.
        line: u64,
        /// The number of lines.
        total: u64,
    },
    /// The file has changed since the skill was listed.
    #[error(
        "`{path}` of the skill `{skill}` changed after the skills were loaded; try again in the next turn, which reloads them"
    )]
    Changed {
        /// The skill.
        skill: String,
        /// The file.
        path: String,
    },
    /// A file could not be read.
    #[error("`{path}` of the skill `{skill}` cannot be read")]
    Unreadable {
        /// The skill.
        skill: String,
        /// The file.
        path: String,
        /// The error of the source.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// An embedded file is damaged.
    #[error(transparent)]
    Embedded(#[from] EmbeddedFileError),
    /// The source failed or did not answer.
    #[error("the skills of {origin} are not available: {reason}")]
    Unavailable {
        /// The source.
        origin: SkillOrigin,
        /// The reason.
        reason: String,
    },
}

impl SkillError {
    /// Creates the error of a name that no skill has.
    pub fn unknown<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        let known: Vec<_> = known.into_iter().map(str::to_owned).collect();
        let lower = name.trim().to_lowercase();
        Self::Unknown {
            nearest: nearest(&lower, known.iter().map(String::as_str)),
            name: name.to_owned(),
            known,
        }
    }

    pub(super) fn unused(name: &str, reason: &str) -> Self {
        Self::Unused {
            name: name.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Creates the error of a path that no file of a skill has.
    #[must_use]
    pub fn no_such_file(skill: &Skill, path: &str) -> Self {
        let known: Vec<_> = skill.files().map(|file| file.path.to_owned()).collect();
        let wanted = path.trim().trim_start_matches("./");
        // The most common mistake is a file name without its folders.
        let ending = format!("/{wanted}");
        let ends_so = known.iter().find(|known| known.ends_with(&ending));
        Self::NoSuchFile {
            skill: skill.name().to_owned(),
            nearest: ends_so
                .cloned()
                .or_else(|| nearest(wanted, known.iter().map(String::as_str))),
            path: path.to_owned(),
            known,
        }
    }
}

/// Returns the most similar name to `wanted`.
pub(super) fn nearest<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    /// The greatest length of a skill's name. The comparison takes time proportional to the product of
    /// the lengths.
    const LONGEST: usize = 200;

    let length = wanted.chars().count();
    if length > LONGEST {
        return None;
    }
    // One edit per three characters: with more edits, the suggestion would be a guess.
    let slips = (length / 3).max(1);
    let near = known.filter(|known| known.chars().count().abs_diff(length) <= slips);
    let distances = near.map(|known| (strsim::damerau_levenshtein(wanted, known), known));
    let nearest = distances.filter(|(distance, _)| *distance <= slips).min();
    nearest.map(|(_, known)| known.to_owned())
}

fn suggestion(nearest: Option<&str>, what: &str, known: &[String]) -> String {
    /// The number of names in a message; the prompt contains all names.
    const SHOWN: usize = 20;

    if let Some(nearest) = nearest {
        return format!("; did you mean `{nearest}`?");
    }
    if known.is_empty() {
        return format!("; there are no {what}s");
    }
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = known[..known.len().min(SHOWN)].join(", ");
    format!("; the {what}s are: {shown}{more}")
}
