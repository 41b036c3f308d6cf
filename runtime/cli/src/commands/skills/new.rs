//! `skills new`.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use helve_skill_format::{Profile, SKILL_MD, Severity};

use crate::app_context::AppContext;
use crate::args;
use crate::commands::new_definition::NewDefinition;
use crate::exit::{CommandResult, OrExit as _};
use helve_skill::{NewFile, write_skill};
use helve_terminal::output;

const SKILL: NewDefinition = NewDefinition {
    kind: "skill",
    folder: "skills",
};

pub(super) fn command() -> Command {
    SKILL.command()
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let manifest = render_manifest(name);
    let parsed = helve_skill_format::parse(&manifest, Some(name), Profile::Spec);
    let mut problems = parsed.problems.iter();
    let wrong = problems.find(|problem| problem.severity == Severity::Error);
    if let Some(problem) = wrong {
        let help = problem.help.as_ref().map(|help| format!("; {help}"));
        let problem = format!("{}{}", problem.message, help.unwrap_or_default());
        return Err(SKILL.invalid_name(name, &problem));
    }
    let folder = SKILL.folder(app, matches);
    SKILL.free_path(&folder, name)?;
    let files = [NewFile {
        path: SKILL_MD.to_owned(),
        bytes: manifest.into_bytes(),
        executable: false,
    }];
    let at = write_skill(&folder, name, &files, false).or_failed()?;
    output::line(&at.join(SKILL_MD).display().to_string());
    Ok(ExitCode::SUCCESS)
}

fn render_manifest(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Describe in one or two sentences what the skill does and when to use \
         it.\n---\n\n# {name}\n\n\
         Write instructions for the model, step by step. Put long references into separate files and scripts into \
         `scripts/`.\n"
    )
}
