//! What a catalogue has to say: what was left out, and why.

use std::fmt;

use super::scan::ScanFinding;
use super::{SkillDigest, SkillOrigin, SkillProblem};

/// Something about a catalogue that a person should know. `Display` says it in one or more lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillNote {
    /// Two sources have a skill of one name, and one of them stands.
    Shadowed {
        /// The name of both.
        name: String,
        /// Where the one comes from that is used.
        used: SkillOrigin,
        /// Where the one comes from that is not.
        unused: SkillOrigin,
    },
    /// A skill would take the place of an embedded one, which it may not.
    ShadowingDenied {
        /// The name of both.
        name: String,
        /// Where the embedded one comes from.
        used: SkillOrigin,
        /// Where the one comes from that is not used.
        unused: SkillOrigin,
    },
    /// A scan found something for which a skill is left out until someone accepts it.
    Withheld {
        /// The skill.
        name: String,
        /// Where it comes from.
        origin: SkillOrigin,
        /// This version of it, as the user accepts it.
        digest: SkillDigest,
        /// What was found.
        findings: Vec<ScanFinding>,
    },
    /// A scan found something, and the skill can be used.
    Flagged {
        /// The skill.
        name: String,
        /// Where it comes from.
        origin: SkillOrigin,
        /// What was found.
        findings: Vec<ScanFinding>,
    },
    /// A skill needs what is not here.
    MissingRequirement {
        /// The skill.
        name: String,
        /// What it needs.
        reason: String,
    },
    /// Something is wrong with what a source has.
    Problem {
        /// The source.
        origin: SkillOrigin,
        /// What is wrong.
        problem: SkillProblem,
    },
    /// A source could not be listed at all.
    Unavailable {
        /// The source.
        origin: SkillOrigin,
        /// Why.
        reason: String,
    },
    /// An allow-list names a skill that does not exist.
    NoSuchSkill {
        /// The name.
        name: String,
        /// The name of a skill that is nearly the same.
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

/// Lists findings, the worst first, and no more than a person reads.
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
