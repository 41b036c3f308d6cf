//! `skills list`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::json;

use crate::cli::assembly::Assembly;
use crate::cli::output;
use crate::skill::{Skill, SkillCatalog, SkillNote, SkillOrigin};

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let catalog = assembly.skills.current();
    if matches.get_flag("json") {
        output::line(&as_json(&catalog));
    } else {
        output::print(&as_text(&catalog));
    }
    ExitCode::SUCCESS
}

fn as_json(catalog: &SkillCatalog) -> String {
    let skills = catalog.skills().map(|skill| {
        json!({
            "name": skill.name(),
            "description": skill.description(),
            "origin": skill.origin().to_string(),
            "embedded": skill.origin().is_embedded(),
            "digest": skill.digest().to_string(),
            "files": skill.files().len(),
        })
    });
    let notes = catalog.notes().iter().map(ToString::to_string);
    let shown = json!({
        "skills": skills.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&shown).unwrap_or_default()
}

/// Writes the skills by where they come from, and what there is to say of them.
pub(in crate::cli) fn as_text(catalog: &SkillCatalog) -> String {
    let mut origins: BTreeMap<SkillOrigin, Vec<&Skill>> = BTreeMap::new();
    for skill in catalog.skills() {
        origins.entry(skill.origin()).or_default().push(skill);
    }
    let names = catalog.skills().map(|skill| skill.name().chars().count());
    let width = names.max().unwrap_or_default();
    let mut text = String::new();
    for (origin, skills) in origins {
        text.push_str(&format!("{}\n", output::one_line(&origin.to_string())));
        for skill in skills {
            let about = output::first_line(skill.description(), 100);
            text.push_str(&format!("  {:width$}  {about}\n", skill.name()));
        }
    }
    if text.is_empty() {
        text.push_str(
            "no skills: embed a folder of them with `helve::include_skills!(\"skills\")`, or put them into `.agents/skills`\n",
        );
    }
    for note in catalog.notes() {
        let said = note.to_string();
        let mut lines = said.lines();
        let first = lines.next().unwrap_or_default();
        text.push_str(&format!("· {}\n", output::one_line(first)));
        for line in lines {
            text.push_str(&format!("  {}\n", output::one_line(line)));
        }
        if let SkillNote::Withheld { name, .. } = note {
            let help = format!("help: `skills accept {name}` shows it, and accepts it");
            text.push_str(&format!("  {}\n", output::one_line(&help)));
        }
    }
    text
}
