//! What a user reads before a skill is installed: where it comes from, what it has, and how it differs from what was
//! accepted.

use std::borrow::Cow;

use helve_core::support::hex;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceKind, AcceptanceState, AcceptanceSubject, Acceptances,
    ContentEntry, Difference, EntryKind, digest_of_fields,
};
use helve_skill::is_script;
use helve_skill::scan::Severity;

use crate::candidate::SkillCandidate;
use crate::error::{InstallError, shown};
use crate::fetch::Revision;
use crate::lock::LockedSkill;
use crate::tree::{SKILL_MD, SkillTree, TreeFile};
use crate::trigger::SkillTrigger;

/// The review of one skill.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillReview {
    /// The text for the user; safe to display.
    pub text: String,
    /// Why the user has to be asked; empty if only text has changed that cannot run.
    pub reasons: Vec<String>,
    /// The number of severe scan findings, which are accepted by themselves.
    pub severe: usize,
    pub(crate) difference: Difference,
}

impl SkillReview {
    /// Reviews a skill that is new.
    pub(crate) fn of_new(
        skill: &SkillCandidate,
        source: &str,
        revision: &Revision,
        acceptances: &Acceptances,
    ) -> Result<Self, InstallError> {
        let difference = difference(skill, source, acceptances)?;
        let mut text = header(skill, source, revision);
        text.push_str(&difference.to_string());
        Ok(Self {
            text,
            reasons: vec!["it is new".to_owned()],
            severe: skill.severe_findings(),
            difference,
        })
    }

    /// Reviews a new version of an installed skill. It is compared with the installed version where the user has accepted
    /// that one: the lock file and the files may be those of a project that other people wrote.
    pub(crate) fn of_update(
        skill: &SkillCandidate,
        revision: &Revision,
        before: &InstalledVersion<'_>,
        acceptances: &Acceptances,
    ) -> Result<Self, InstallError> {
        let mut review = Self::of_new(skill, &before.locked.source, revision, acceptances)?;
        match before.accepted(acceptances)? {
            Ok(old) => {
                review.reasons = reasons(skill, old);
                let new = skill.findings.iter();
                let new = new.filter(|finding| !old.findings.contains(finding));
                review.severe = new
                    .filter(|finding| finding.severity == Severity::Red)
                    .count();
            }
            Err(reason) => review.reasons = vec![reason.to_owned()],
        }
        let was = short_version(before.locked.commit.as_deref(), &before.locked.digest);
        let now = short_version(revision.commit.as_deref(), &skill.digest().to_string());
        review.text = format!(
            "{}: {was} -> {now}\n{}",
            shown(&skill.name),
            review.difference
        );
        Ok(review)
    }
}

/// The installed version that an update replaces.
pub(crate) struct InstalledVersion<'v> {
    pub(crate) locked: &'v LockedSkill,
    /// The skill, where its files could be read.
    pub(crate) old: Option<&'v SkillCandidate>,
}

impl InstalledVersion<'_> {
    /// Returns the version if the user has accepted it, and why it cannot be compared with otherwise.
    fn accepted(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Result<&SkillCandidate, &'static str>, InstallError> {
        let digest = self.locked.digest.trim_start_matches("sha256:").to_owned();
        let subject = subject(&self.locked.name, &self.locked.source);
        let content = AcceptanceContent::with_digest(digest, []);
        Ok(
            match (acceptances.state(Ok(subject), &content)?, self.old) {
                (AcceptanceState::Accepted, Some(old)) => Ok(old),
                (AcceptanceState::Accepted, None) => Err("the installed version cannot be read"),
                _ => Err("you have not accepted the installed version"),
            },
        )
    }
}

/// Returns why an update of an accepted version needs an answer.
fn reasons(skill: &SkillCandidate, old: &SkillCandidate) -> Vec<String> {
    let mut reasons = Vec::new();
    if scripts(&skill.tree) != scripts(&old.tree) {
        reasons.push("its scripts change".to_owned());
    }
    if skill.allowed_tools() != old.allowed_tools() {
        reasons.push("it asks for other tools".to_owned());
    }
    if skill.entry() != old.entry() {
        reasons.push("it has another entry".to_owned());
    }
    if skill.trigger() != old.trigger() {
        reasons.push("it asks for another trigger".to_owned());
    }
    if skill.description != old.description {
        reasons.push("its description changes".to_owned());
    }
    if skill
        .findings
        .iter()
        .any(|finding| !old.findings.contains(finding))
    {
        reasons.push("the scan finds something new".to_owned());
    }
    reasons
}

fn scripts(tree: &SkillTree) -> Vec<(&str, &TreeFile)> {
    let files = tree.files();
    files
        .filter(|(path, file)| is_script(path, file.executable))
        .collect()
}

/// Describes a file for a review. Its digest covers its mode, and its text says so where the mode alone makes it executable.
pub(crate) fn file_entry(
    kind: EntryKind,
    path: &str,
    file: &TreeFile,
    is_shown: bool,
) -> ContentEntry {
    let sha256 = hex::encode(&file.sha256);
    let mode = if file.executable { "executable" } else { "" };
    let mut text = match str::from_utf8(&file.bytes) {
        Ok(text) if is_shown => Cow::Borrowed(text),
        _ => Cow::Owned(format!("{} bytes, SHA-256 {sha256}", file.bytes.len())),
    };
    if file.executable && !file.bytes.starts_with(b"#!") {
        text = Cow::Owned(format!("(executable)\n{text}"));
    }
    ContentEntry::from_name(kind, path)
        .digest(digest_of_fields([sha256.as_str(), mode]))
        .text(&text)
}

/// Names a skill of a source for the acceptances of the user.
fn subject(name: &str, source: &str) -> AcceptanceSubject {
    AcceptanceSubject::new(AcceptanceKind::Skill, name, source)
}

/// Compares a skill with the version that the user accepted last.
fn difference(
    skill: &SkillCandidate,
    source: &str,
    acceptances: &Acceptances,
) -> Result<Difference, InstallError> {
    let accepted = acceptances.read()?;
    Ok(accepted.difference(subject(&skill.name, source), content(skill)))
}

/// Returns the content of an acceptance: the scan findings, the tools that the skill asks for, and the files.
fn content(skill: &SkillCandidate) -> AcceptanceContent {
    let mut entries = Vec::new();
    for finding in &skill.findings {
        let place = format!(
            "{}[{}] {}:{}",
            finding.severity, finding.rule, finding.path, finding.line
        );
        let text = format!("{}: `{}`", finding.message, finding.excerpt);
        entries.push(ContentEntry::with_text(EntryKind::Finding, place, &text));
    }
    for (path, file) in skill.tree.files() {
        let is_shown = path == SKILL_MD || is_script(path, file.executable);
        entries.push(file_entry(EntryKind::File, path, file, is_shown));
    }
    AcceptanceContent::with_digest(skill.digest().to_string(), entries)
}

/// Renders where a skill comes from and what it has.
fn header(skill: &SkillCandidate, source: &str, revision: &Revision) -> String {
    let mut text = format!("{}  {}\n", shown(&skill.name), shown(&skill.description));
    let mut row =
        |label: &str, value: &str| text.push_str(&format!("  {label:8} {}\n", shown(value)));
    row("source", source);
    if !skill.folder.is_empty() {
        row("folder", &skill.folder);
    }
    if let Some(commit) = &revision.commit {
        let tag = revision.tag.as_ref().map(|tag| format!(" (tag {tag})"));
        row("commit", &format!("{commit}{}", tag.unwrap_or_default()));
    }
    row("digest", &skill.digest().to_string());
    row(
        "files",
        &format!("{}, {} bytes", skill.tree.len(), skill.tree.size()),
    );
    row("license", skill.license().unwrap_or("none named"));
    let scripts: Vec<&str> = skill.scripts().collect();
    if !scripts.is_empty() {
        row("scripts", &scripts.join(", "));
    }
    let tools = skill.allowed_tools();
    if !tools.is_empty() {
        row(
            "tools",
            &format!("{} (asked for, not granted)", tools.join(", ")),
        );
    }
    let trigger = skill.trigger();
    if trigger != SkillTrigger::Manual {
        let text = format!("{trigger} (asked for; `skills enable` makes the schedule)");
        row("trigger", &text);
    }
    text
}

fn short_version(commit: Option<&str>, digest: &str) -> String {
    let text = commit.unwrap_or(digest);
    let text = text.strip_prefix("sha256:").unwrap_or(text);
    helve_core::support::text::first_chars(text, 12).to_owned()
}
