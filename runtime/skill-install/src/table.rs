//! Installed skills as text for the user.

use crate::error::shown;
use crate::installer::{SkillCheck, SkillState};
use crate::lock::LockedSkill;
use crate::status::SkillStatus;
use helve_skill::scan::Severity;
use helve_untrusted::columns;

/// Renders the skills of a lock file, each with its status, its version and its source.
#[must_use]
pub fn render_installed(skills: &[LockedSkill], statuses: &[SkillStatus]) -> String {
    let rows: Vec<[String; 4]> = skills
        .iter()
        .map(|skill| {
            [
                skill.name.clone(),
                label(skill, statuses).to_owned(),
                skill.version(),
                shown(&skill.source),
            ]
        })
        .collect();
    columns(&rows)
}

/// Returns the skills of a lock file as JSON, each with its status and what the lock file says of it.
#[must_use]
pub fn installed_rows(skills: &[LockedSkill], statuses: &[SkillStatus]) -> Vec<serde_json::Value> {
    let rows = skills.iter().map(|skill| {
        let mut row = serde_json::json!(skill);
        row["status"] = label(skill, statuses).into();
        row
    });
    rows.collect()
}

/// Returns the status of a skill.
fn label(skill: &LockedSkill, statuses: &[SkillStatus]) -> &'static str {
    let of_skill = statuses.iter().filter(|status| status.name == skill.name);
    let mut labels = of_skill.map(SkillStatus::label);
    labels.find(|label| *label != "active").unwrap_or("active")
}

/// Renders the skills that are not used because of their status, with the command that ends it.
#[must_use]
pub fn render_unused(statuses: &[SkillStatus]) -> String {
    let lines = statuses.iter().filter(|status| status.is_unused()).map(|status| {
        let name = shown(&status.name);
        match (&status.paused, status.disabled) {
            (Some(pause), false) => format!(
                "· the skill `{name}` is paused: {}\n  help: run `skills resume {name}` to use it again\n",
                shown(&pause.reason)
            ),
            _ => format!("· the skill `{name}` is disabled\n  help: run `skills enable {name}` to use it again\n"),
        }
    });
    lines.collect()
}

/// Renders checks: one line a skill.
#[must_use]
pub fn render_checks(checks: &[SkillCheck]) -> String {
    let rows: Vec<[String; 3]> = checks
        .iter()
        .map(|check| {
            let (state, detail) = match &check.state {
                SkillState::Unchanged => (
                    "ok",
                    check
                        .locked
                        .as_ref()
                        .map(LockedSkill::version)
                        .unwrap_or_default(),
                ),
                SkillState::Changed(changes) => ("changed", shown(changes)),
                SkillState::Missing => ("missing", "its folder is gone".to_owned()),
                SkillState::Unlocked => (
                    "not locked",
                    "it was not installed by `skills add`".to_owned(),
                ),
            };
            [shown(&check.name), state.to_owned(), detail]
        })
        .collect();
    columns(&rows)
}

/// Renders an audit: each skill with what a reviewer would look at.
#[must_use]
pub fn render_audit(checks: &[SkillCheck]) -> String {
    let mut text = String::new();
    for check in checks {
        text.push_str(&render_checks(std::slice::from_ref(check)));
        for remark in remarks(check) {
            text.push_str(&format!("  - {remark}\n"));
        }
        for finding in &check.findings {
            for line in finding.to_string().lines() {
                text.push_str(&format!("  {line}\n"));
            }
        }
    }
    text
}

/// Returns what an audit says beside the scan findings.
fn remarks(check: &SkillCheck) -> Vec<String> {
    let mut remarks: Vec<String> = check.problem.iter().map(|problem| shown(problem)).collect();
    if let Some(locked) = &check.locked {
        if locked.license.is_none() {
            remarks.push("it names no license".to_owned());
        }
        let is_github = locked.commit.is_some();
        let names_reference = locked.source.contains('@');
        if is_github && !names_reference {
            remarks.push("its source follows the default branch; name a tag or a commit, as in `owner/repo@v1`".to_owned());
        }
    }
    remarks
}

/// Returns whether an audit has something that needs an answer: changed or missing files, or a severe finding.
#[must_use]
pub fn has_failures(checks: &[SkillCheck]) -> bool {
    checks.iter().any(|check| {
        let is_changed = matches!(check.state, SkillState::Changed(_) | SkillState::Missing);
        let mut findings = check.findings.iter();
        is_changed
            || check.problem.is_some()
            || findings.any(|finding| finding.severity == Severity::Red)
    })
}
