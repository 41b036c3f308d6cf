//! The notes of a catalogue: the skills that were left out, with the reasons.

use std::fmt;

use super::scan::ScanFinding;
use super::{SkillDigest, SkillOrigin, SkillProblem};

/// A note about a catalogue for the user. `Display` renders one or more lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillNote {
    /// Two sources have a skill with the same name, and one of them is used.
    Shadowed {
        /// The name of both skills.
        name: String,
        /// The origin of the skill that is used.
        used: SkillOrigin,
        /// The origin of the skill that is not used.
        unused: SkillOrigin,
    },
    /// A skill has the name of an embedded skill, and may not replace it.
    ShadowingDenied {
        /// The name of both skills.
        name: String,
        /// The origin of the embedded skill.
        used: SkillOrigin,
        /// The origin of the skill that is not used.
        unused: SkillOrigin,
    },
    /// A scan has findings for which a skill is disabled until the user accepts it.
    Withheld {
        /// The skill.
        name: String,
        /// The origin of the skill.
        origin: SkillOrigin,
        /// The digest of this version, by which the user accepts it.
        digest: SkillDigest,
        /// The findings.
        findings: Vec<ScanFinding>,
    },
    /// A scan has findings, and the skill can be used.
    Flagged {
        /// The skill.
        name: String,
        /// The origin of the skill.
        origin: SkillOrigin,
        /// The findings.
        findings: Vec<ScanFinding>,
    },
    /// The environment does not meet a requirement of a skill.
    MissingRequirement {
        /// The skill.
        name: String,
        /// The requirement.
        reason: String,
    },
    /// A source has a problem with its skills.
    Problem {
        /// The source.
        origin: SkillOrigin,
        /// The problem.
        problem: SkillProblem,
    },
    /// A source could not be listed.
    Unavailable {
        /// The source.
        origin: SkillOrigin,
        /// The reason.
        reason: String,
    },
    /// An allow-list names a skill that does not exist.
    NoSuchSkill {
        /// The name.
        name: String,
        /// The most similar name of a skill.
        nearest: Option<String>,
    },
}

impl fmt::Display for SkillNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shadowed { name, used, unused } => write!(
                f,
                "the skill `{name}` from {used} shadows the one from {unused}"
            ),
            Self::ShadowingDenied { name, used, unused } => write!(
                f,
                "ignored the skill `{name}` from {unused}: {used} embeds a skill of that name; rename the skill, or allow skills to shadow embedded ones"
            ),
            Self::Withheld {
                name,
                origin,
                digest,
                findings,
            } => {
                write!(
                    f,
                    "the skill `{name}` from {origin} is disabled until you accept it: review these findings, then accept {digest}"
                )?;
                list(f, findings)
            }
            Self::Flagged {
                name,
                origin,
                findings,
            } => {
                write!(
                    f,
                    "the skill `{name}` from {origin} has findings to review:"
                )?;
                list(f, findings)
            }
            Self::MissingRequirement { name, reason } => {
                write!(f, "the skill `{name}` is unavailable: {reason}")
            }
            Self::Problem { origin, problem } => write!(f, "in {origin}: {problem}"),
            Self::Unavailable { origin, reason } => {
                write!(f, "the skills of {origin} are not available: {reason}")
            }
            Self::NoSuchSkill { name, nearest } => {
                write!(
                    f,
                    "an allow-list names the skill `{name}`, which does not exist"
                )?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Lists findings, the most severe ones first, up to a limit.
fn list(f: &mut fmt::Formatter<'_>, findings: &[ScanFinding]) -> fmt::Result {
    const SHOWN: usize = 10;
    let mut findings: Vec<_> = findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in findings.iter().take(SHOWN) {
        write!(f, "\n  {}", finding.to_string().replace('\n', "\n  "))?;
    }
    match findings.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(f, "\n  and {more} more"),
    }
}
