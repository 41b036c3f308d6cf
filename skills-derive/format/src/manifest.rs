//! One SKILL.md: its front matter, its body, and their problems.

use std::borrow::Cow;

use crate::body;
use crate::check::{self, RuleInput};
use crate::codes;
use crate::front_matter::{self, FrontMatter};
use crate::problem::{Finding, Position, Problem, Severity};
use crate::report::to_problem;
use crate::walk::SKILL_MD;
use crate::{Profile, check::name};

/// The parsed and checked text of one SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedManifest {
    /// The name of the skill: lower-case words with hyphens, in the normal form NFKC. `None` if no usable name can be
    /// determined.
    pub name: Option<String>,
    /// The description. `None` if there is none.
    pub description: Option<String>,
    /// The fields, up to the first error.
    pub front_matter: FrontMatter,
    /// The byte offset of the body.
    pub body_start: usize,
    /// The problems, in the order of the file.
    pub problems: Vec<Problem>,
}

impl ParsedManifest {
    /// Returns whether there are errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.severity == Severity::Error)
    }
}

/// Parses and checks the text of one SKILL.md. `folder` is the name of its folder, if it has one.
///
/// The function does not fail: errors are among the problems, whose path is `SKILL.md`.
///
/// ```
/// use helve_skill_format::{Profile, parse};
///
/// let text = "---\nname: pdf\ndescription: Reads PDF files.\nlicense: MIT\n---\n# PDF\n";
/// let parsed = parse(text, Some("pdf"), Profile::Spec);
/// assert_eq!(parsed.problems, []);
/// assert_eq!(parsed.front_matter.license(), Some("MIT"));
/// assert_eq!(&text[parsed.body_start..], "# PDF\n");
/// ```
#[must_use]
pub fn parse(text: &str, folder: Option<&str>, profile: Profile) -> ParsedManifest {
    let manifest = read(text, folder, profile);
    let mut problems: Vec<_> = manifest
        .findings
        .into_iter()
        .filter_map(|finding| to_problem(profile, finding, None, SKILL_MD.to_owned()))
        .collect();
    problems.sort_by_key(|problem| problem.at);
    ParsedManifest {
        name: manifest.name,
        description: manifest.description,
        front_matter: manifest.front_matter,
        body_start: manifest.body_start,
        problems,
    }
}

/// The contents of a SKILL.md, with the findings of the rules.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) front_matter: FrontMatter,
    pub(crate) body_start: usize,
    pub(crate) findings: Vec<Finding>,
}

impl Manifest {
    /// Returns the manifest of a SKILL.md that could not be read.
    pub(crate) fn unreadable(finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            ..Self::default()
        }
    }
}

/// Parses and checks a SKILL.md.
pub(crate) fn read(text: &str, folder: Option<&str>, profile: Profile) -> Manifest {
    if let Some(nul) = text.find('\0') {
        let at = Position::after(&text[..nul]);
        let finding = Finding::new(codes::NUL, "the file holds a NUL character").with_position(at);
        return Manifest::unreadable(finding.with_help("delete it"));
    }
    let parts = match front_matter::split(text) {
        Ok(parts) => parts,
        Err(finding) if is_bare(&finding, profile) => return read_bare(text, folder, finding),
        Err(finding) => return Manifest::unreadable(finding),
    };
    let read = match profile {
        Profile::Lenient => front_matter::read_leniently(parts.yaml),
        Profile::SkillsRef => front_matter::read_strictly(parts.yaml),
        _ => front_matter::read(parts.yaml),
    };
    let mut findings = read.findings;
    findings.extend(body::check(text, parts.body_start));
    complete(
        ManifestSource {
            front_matter: read.front_matter,
            is_complete: read.is_complete,
            body_start: parts.body_start,
            body: &text[parts.body_start..],
        },
        folder,
        profile,
        findings,
    )
}

/// Returns whether a text without front matter can be a skill.
fn is_bare(finding: &Finding, profile: Profile) -> bool {
    profile == Profile::Lenient && finding.code == codes::FRONT_MATTER_MISSING
}

/// Reads a text without front matter: the skill has the name of its folder, and is described by its first paragraph.
fn read_bare(text: &str, folder: Option<&str>, mut finding: Finding) -> Manifest {
    let name = folder.and_then(name::suggestion);
    let body_start = text.len() - text.trim_start_matches('\u{feff}').len();
    let description = body::first_paragraph(&text[body_start..]);
    finding.is_fatal = name.is_none() || description.is_none();
    let mut findings = vec![finding];
    findings.extend(body::check(text, body_start));
    Manifest {
        name,
        description,
        body_start,
        findings,
        ..Manifest::default()
    }
}

/// A front matter and its body.
pub(crate) struct ManifestSource<'a> {
    pub(crate) front_matter: FrontMatter,
    /// Whether the front matter was read to its end.
    pub(crate) is_complete: bool,
    pub(crate) body_start: usize,
    pub(crate) body: &'a str,
}

/// Applies the rules to the fields, and determines the name and the description.
pub(crate) fn complete(
    source: ManifestSource<'_>,
    folder: Option<&str>,
    profile: Profile,
    mut findings: Vec<Finding>,
) -> Manifest {
    let ManifestSource {
        front_matter,
        is_complete: complete,
        body_start,
        body,
    } = source;
    let lenient = profile == Profile::Lenient;
    let candidate = RuleInput {
        folder,
        front_matter: &front_matter,
        complete,
        profile,
    };
    let name = match lenient {
        true => name::resolve_name(&candidate),
        false => candidate.name().map(|(name, _)| name.into_owned()),
    };
    let description = front_matter.text("description").map(Cow::Borrowed);
    let description = match lenient {
        true => description.or_else(|| body::first_line(body).map(Cow::Owned)),
        false => description,
    };
    let stops = |finding: &Finding| profile.severity(finding.code) == Some(Severity::Error);
    let mut of_rules = match profile {
        // The reference validator does not check fields if the YAML is invalid.
        Profile::SkillsRef if findings.iter().any(stops) => Vec::new(),
        _ => check::check(&candidate),
    };
    for finding in &mut of_rules {
        let of_name = finding.code == codes::NAME_REQUIRED || finding.code == codes::NAME_EMPTY;
        let of_description =
            finding.code == codes::DESCRIPTION_REQUIRED || finding.code == codes::DESCRIPTION_EMPTY;
        finding.is_fatal |= of_name && name.is_none() || of_description && description.is_none();
    }
    findings.extend(of_rules);
    Manifest {
        description: description.map(Cow::into_owned),
        name,
        front_matter,
        body_start,
        findings,
    }
}
