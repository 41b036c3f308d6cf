//! `skills show`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::json;

use super::skill_name;
use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::{output, sanitize};
use helve_skill::{LoadedSkill, Skill, SkillError};

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let name = skill_name::get(matches);
    let catalog = app.skills.current();
    let skill = match catalog.find(name) {
        Ok(skill) => skill,
        Err(error) => {
            output::error(&error);
            return ExitCode::from(WRONG_USAGE);
        }
    };
    let loaded = async {
        let body = skill.instructions().await?.into_owned();
        let loaded = catalog.load(name).await?;
        Ok::<(String, LoadedSkill), SkillError>((body, loaded))
    };
    match loaded.await {
        Ok((body, _)) if matches.get_flag("json") => output::line(&as_json(skill, &body)),
        Ok((_, loaded)) => output::line(&as_text(skill, &loaded)),
        Err(error) => {
            output::error(&error);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn as_json(skill: &Skill, body: &str) -> String {
    let front_matter = skill.front_matter();
    let files = skill.files().map(|file| {
        json!({
            "path": file.path,
            "size": file.size,
            "executable": file.executable,
        })
    });
    let shown = json!({
        "name": skill.name(),
        "description": skill.description(),
        "origin": skill.origin().to_string(),
        "digest": skill.digest().to_string(),
        "license": front_matter.license(),
        "compatibility": front_matter.compatibility(),
        "allowed_tools": front_matter.allowed_tools(),
        "files": files.collect::<Vec<_>>(),
        "body": body,
    });
    serde_json::to_string_pretty(&shown).unwrap_or_default()
}

fn as_text(skill: &Skill, loaded: &LoadedSkill) -> String {
    let mut text = format!("from {}\ndigest {}\n", skill.origin(), skill.digest());
    let asked = skill.front_matter().allowed_tools();
    if !asked.is_empty() {
        text.push_str(&format!(
            "requested tools (not granted by this): {}\n",
            asked.join(", ")
        ));
    }
    for finding in skill.findings() {
        text.push_str(&format!("{finding}\n"));
    }
    text.push_str(&format!("\n{loaded}"));
    sanitize::replace_controls(&text).into_owned()
}
