//! The skills of a catalog as a list.

use std::collections::BTreeMap;

use crate::bundles;
use helve_skill::{Skill, SkillCatalog, SkillNote, SkillOrigin};
use helve_terminal::sanitize;

/// Describes the origin of a skill: a bundle by its name, and not by the folder where it is installed.
pub(crate) fn describe_origin(origin: &SkillOrigin) -> String {
    if let SkillOrigin::Folder { folder } = origin
        && let Some(name) = bundles::name_of(folder)
    {
        return format!("the bundle `{name}`");
    }
    origin.to_string()
}

/// Renders the skills by their origin, and the notes of the catalog below them.
pub(crate) fn render_catalog(catalog: &SkillCatalog) -> String {
    let mut origins: BTreeMap<SkillOrigin, Vec<&Skill>> = BTreeMap::new();
    for skill in catalog.skills() {
        origins.entry(skill.origin()).or_default().push(skill);
    }
    let names = catalog.skills().map(|skill| skill.name().chars().count());
    let width = names.max().unwrap_or_default();
    let mut text = String::new();
    for (origin, skills) in origins {
        text.push_str(&format!(
            "{}\n",
            sanitize::one_line(&describe_origin(&origin))
        ));
        for skill in skills {
            let about = sanitize::first_line(skill.description(), 100);
            text.push_str(&format!("  {:width$}  {about}\n", skill.name()));
        }
    }
    if text.is_empty() {
        text.push_str(
            "no skills: embed a folder with `helve::include_skills!(\"skills\")`, or add skills to `.agents/skills`\n",
        );
    }
    for note in catalog.notes() {
        let said = note.to_string();
        let mut lines = said.lines();
        let first = lines.next().unwrap_or_default();
        text.push_str(&format!("· {}\n", sanitize::one_line(first)));
        for line in lines {
            text.push_str(&format!("  {}\n", sanitize::one_line(line)));
        }
        if let SkillNote::Withheld { name, .. } = note {
            let help = format!("help: run `skills accept {name}` to review and accept the skill");
            text.push_str(&format!("  {}\n", sanitize::one_line(&help)));
        }
    }
    text
}
