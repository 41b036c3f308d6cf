//! `skills list`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::skill_list::render_catalog;
use helve_skill::SkillCatalog;
use helve_terminal::output;

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let catalog = app.skills.current();
    if matches.get_flag("json") {
        output::json(&as_json(&catalog));
    } else {
        output::print(&render_catalog(&catalog));
        #[cfg(feature = "skill-install")]
        if let Ok(statuses) = crate::skills::statuses(&app.folder) {
            output::print(&helve_skill_install::render_unused(&statuses));
        }
        #[cfg(all(feature = "skill-install", feature = "schedule"))]
        print_triggers(app, &catalog).await;
    }
    ExitCode::SUCCESS
}

/// Prints what starts the skills that do not wait for a user.
#[cfg(all(feature = "skill-install", feature = "schedule"))]
async fn print_triggers(app: &AppContext, catalog: &SkillCatalog) {
    use helve_skill_install::{SkillTrigger, SkillTriggers as _, render_triggers};

    let scheduled = match crate::schedules::of_skills(app, &app.skills) {
        Some(of_skills) => of_skills.describe().await,
        None => return,
    };
    let trigger = |skill| SkillTrigger::from_front_matter(&helve_skill::Skill::front_matter(skill));
    let triggers = catalog.skills().map(|skill| (skill.name(), trigger(skill)));
    output::print(&render_triggers(triggers, &scheduled));
}

fn as_json(catalog: &SkillCatalog) -> Value {
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
    json!({ "skills": skills.collect::<Vec<_>>(), "notes": notes.collect::<Vec<_>>() })
}
