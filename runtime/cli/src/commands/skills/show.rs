//! `skills show`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{CommandResult, OrExit as _};
use crate::skill_list::describe_origin;
use helve_skill::{LoadedSkill, Skill};
use helve_terminal::{output, sanitize};

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let catalog = app.skills.current();
    let skill = catalog.find(name).or_wrong_usage()?;
    let body = skill.instructions().await.or_failed()?;
    let loaded = catalog.load(name).await.or_failed()?;
    if matches.get_flag("json") {
        output::json(&as_json(skill, &body));
    } else {
        output::line(&as_text(skill, &loaded));
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(skill: &Skill, body: &str) -> Value {
    let front_matter = skill.front_matter();
    let files = skill.files().map(|file| {
        json!({
            "path": file.path,
            "size": file.size,
            "executable": file.executable,
        })
    });
    json!({
        "name": skill.name(),
        "description": skill.description(),
        "origin": skill.origin().to_string(),
        "digest": skill.digest().to_string(),
        "license": front_matter.license(),
        "compatibility": front_matter.compatibility(),
        "allowed_tools": front_matter.allowed_tools(),
        "files": files.collect::<Vec<_>>(),
        "body": body,
    })
}

fn as_text(skill: &Skill, loaded: &LoadedSkill) -> String {
    let mut text = format!(
        "from {}\ndigest {}\n",
        describe_origin(&skill.origin()),
        skill.digest()
    );
    let asked = skill.front_matter().allowed_tools();
    if !asked.is_empty() {
        let asked = asked.join(", ");
        text.push_str(&format!("requested tools (not granted by this): {asked}\n"));
    }
    for finding in skill.findings() {
        text.push_str(&format!("{finding}\n"));
    }
    text.push_str(&format!("\n{loaded}"));
    sanitize::replace_controls(&text).into_owned()
}
