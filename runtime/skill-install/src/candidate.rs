//! A skill that could be installed: its files, checked and scanned.

use std::sync::Arc;

use helve_skill::scan::{ScanFinding, Severity, scan};
use helve_skill::{Skill, SkillDigest, SkillError, is_script};
use helve_skill_format::{FrontMatter, Profile, Severity as ProblemSeverity, parse};

use crate::error::{InstallError, shown};
use crate::tree::{SKILL_MD, SkillTree};
use crate::trigger::SkillTrigger;

/// The number of problems that a message lists.
const SHOWN_PROBLEMS: usize = 5;

/// A skill of a source, which is checked and scanned, and not yet installed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillCandidate {
    /// The name.
    pub name: String,
    /// What the skill does and when to use it.
    pub description: String,
    /// The folder of the skill in its source; empty for the source itself.
    pub folder: String,
    /// The files.
    pub tree: SkillTree,
    /// The scan findings.
    pub findings: Vec<ScanFinding>,
    /// The problems that do not prevent the installation.
    pub warnings: Vec<String>,
    front_matter: Arc<FrontMatter>,
}

/// The rules that a candidate must follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateRules {
    pub(crate) profile: Profile,
    /// Whether the name may have letters other than ASCII, which can look like others.
    pub(crate) allows_unicode_names: bool,
}

impl SkillCandidate {
    /// Checks the files of a skill. The name of its folder is that of the skill, where it is known.
    pub(crate) fn new(
        tree: SkillTree,
        folder: &str,
        rules: CandidateRules,
    ) -> Result<Self, InstallError> {
        let place = match folder {
            "" => "the skill".to_owned(),
            folder => format!("the skill in `{}`", shown(folder)),
        };
        let refused = |reason: String| InstallError::refused(&place, reason);
        let Some(manifest) = tree.get(SKILL_MD) else {
            return Err(refused("it has no `SKILL.md`".to_owned()));
        };
        let Ok(text) = str::from_utf8(&manifest.bytes) else {
            return Err(refused("its `SKILL.md` is not UTF-8".to_owned()));
        };
        let folder_name = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let parsed = parse(text, folder_name, rules.profile);
        let of = |severity| {
            let problems = parsed.problems.iter();
            problems.filter(move |problem| problem.severity == severity)
        };
        let errors: Vec<String> = of(ProblemSeverity::Error)
            .take(SHOWN_PROBLEMS)
            .map(ToString::to_string)
            .collect();
        if !errors.is_empty() {
            return Err(refused(format!(
                "it breaks the specification\n{}",
                errors.join("\n")
            )));
        }
        let (Some(name), Some(description)) = (parsed.name.clone(), parsed.description.clone())
        else {
            return Err(refused("it has no name or no description".to_owned()));
        };
        let written = parsed.front_matter.text("name").unwrap_or(&name);
        if !rules.allows_unicode_names && !written.is_ascii() {
            return Err(refused(format!(
                "its name `{}` has letters that can look like others; names from other machines are in ASCII",
                shown(written)
            )));
        }
        let warnings = of(ProblemSeverity::Warning)
            .map(ToString::to_string)
            .collect();
        let front_matter = Arc::new(parsed.front_matter);
        Ok(Self {
            findings: scan_tree(&tree),
            name,
            description,
            folder: folder.to_owned(),
            warnings,
            front_matter,
            tree,
        })
    }

    /// Reads all files of a skill of a catalogue, such as one of an MCP server.
    ///
    /// # Errors
    /// When a file cannot be read, or the skill breaks a rule or a limit.
    pub async fn from_skill(skill: &Skill) -> Result<Self, InstallError> {
        let failed = |error: SkillError| {
            InstallError::refused(
                format!("the skill `{}`", shown(skill.name())),
                error.to_string(),
            )
        };
        let mut tree = SkillTree::default();
        for file in skill.files() {
            let bytes = skill.read(file.path).await.map_err(failed)?;
            tree.insert(file.path, bytes.into_owned(), file.executable)?;
        }
        let rules = CandidateRules {
            profile: Profile::Mcp,
            allows_unicode_names: false,
        };
        Self::new(tree, skill.name(), rules)
    }

    /// Returns the digest of the skill.
    #[must_use]
    pub fn digest(&self) -> SkillDigest {
        self.tree.digest(&self.name)
    }

    /// Returns the licence that the skill names.
    #[must_use]
    pub fn license(&self) -> Option<&str> {
        self.front_matter.license()
    }

    /// Returns what the skill asks to be started by, which its installation does not schedule.
    #[must_use]
    pub fn trigger(&self) -> SkillTrigger {
        SkillTrigger::from_front_matter(&self.front_matter)
    }

    /// Returns the script that `run_skill` runs.
    #[must_use]
    pub fn entry(&self) -> Option<String> {
        entry(&self.front_matter)
    }

    /// Returns the tools that the skill asks for, which are not granted by its installation.
    #[must_use]
    pub fn allowed_tools(&self) -> Vec<String> {
        self.front_matter.allowed_tools()
    }

    /// Returns the paths of the files that can run: those that `run_skill_script` runs, and all below `scripts/`.
    pub fn scripts(&self) -> impl Iterator<Item = &str> {
        let files = self.tree.files();
        files
            .filter(|(path, file)| is_script(path, file.executable))
            .map(|(path, _)| path)
    }

    /// Returns the number of scan findings that a reviewer would reject.
    #[must_use]
    pub fn severe_findings(&self) -> usize {
        let findings = self.findings.iter();
        findings
            .filter(|finding| finding.severity == Severity::Red)
            .count()
    }
}

/// Returns the script that a skill names as its entry.
pub(crate) fn entry(front_matter: &FrontMatter) -> Option<String> {
    let mut metadata = front_matter.metadata();
    let (_, entry) = metadata.find(|(key, _)| *key == "entry")?;
    Some(entry.trim().to_owned())
}

/// Scans every text file.
fn scan_tree(tree: &SkillTree) -> Vec<ScanFinding> {
    let texts = tree
        .files()
        .filter_map(|(path, file)| Some((path, str::from_utf8(&file.bytes).ok()?)));
    texts.flat_map(|(path, text)| scan(path, text)).collect()
}
