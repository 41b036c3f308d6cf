//! Checks the skills: their origins, excluded skills, and outdated embedded skills.

use std::collections::BTreeMap;

use super::finding::Finding;
use crate::app_context::AppContext;
use helve_skill::{SkillNote, SkillOrigin};
use helve_terminal::render::counted;
use helve_terminal::sanitize;

pub(super) fn findings(app: &AppContext) -> Vec<Finding> {
    let catalog = app.skills.current();
    let mut origins: BTreeMap<SkillOrigin, usize> = BTreeMap::new();
    for skill in catalog.skills() {
        *origins.entry(skill.origin()).or_default() += 1;
    }
    let counted = origins.into_iter().map(|(origin, skills)| {
        let (skills, origin) = (counted(skills, "skill"), origin.to_string());
        Finding::ok(format!("{skills} from {}", sanitize::one_line(&origin)))
    });
    let mut findings: Vec<Finding> = counted.collect();
    findings.extend(catalog.notes().iter().map(|note| note_finding(app, note)));
    let outdated = crate::skills::outdated_sets(&catalog).into_iter();
    findings.extend(outdated.map(|text| Finding::problem(&text, "rebuild the program")));
    findings
}

fn note_finding(app: &AppContext, note: &SkillNote) -> Finding {
    let text = note.to_string();
    let lines: Vec<_> = text.lines().map(sanitize::one_line).collect();
    let text = lines.join("\n    ");
    match note {
        SkillNote::Withheld { name, .. } => {
            let binary = app.binary();
            let help =
                format!("run `{binary} skills accept {name}` to review and accept the skill");
            Finding::problem(&text, &sanitize::one_line(&help))
        }
        SkillNote::Problem { problem, .. } if problem.is_error => {
            let folder = problem.folder.as_deref();
            let folder =
                folder.map_or_else(|| "PATH".to_owned(), |folder| folder.display().to_string());
            let binary = app.binary();
            let mend = format!("run `{binary} skills validate {folder}` for details");
            Finding::problem(&text, &sanitize::one_line(&mend))
        }
        SkillNote::Unavailable { .. } | SkillNote::NoSuchSkill { .. } => {
            Finding::problem(&text, "fix the skill, or remove it from the settings")
        }
        _ => Finding::note(text),
    }
}
