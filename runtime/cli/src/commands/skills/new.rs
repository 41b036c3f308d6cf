//! `skills new`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use helve_skill_format::{Profile, SKILL_MD, Severity};

use super::skill_name;
use super::write::{NewFile, WriteSkillError, write_skill};
use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::{exit, output, sanitize};

/// The default folder of new skills.
const DEFAULT_FOLDER: &str = ".agents/skills";

pub(super) fn command() -> Command {
    let folder = Arg::new("in")
        .long("in")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help(format!(
            "The folder of skills; use `skills` for skills that the package embeds [default: {DEFAULT_FOLDER}]"
        ));
    Command::new("new").about("Create a new skill").arg(folder)
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let name = skill_name::get(matches);
    let manifest = render_manifest(name);
    let parsed = helve_skill_format::parse(&manifest, Some(name), Profile::Spec);
    let wrong = parsed
        .problems
        .iter()
        .find(|problem| problem.severity == Severity::Error);
    if let Some(problem) = wrong {
        let help = problem.help.as_ref().map(|help| format!("; {help}"));
        output::note(&format!(
            "error: invalid skill name `{}`: {}{}",
            sanitize::one_line(name),
            sanitize::one_line(&problem.message),
            sanitize::one_line(&help.unwrap_or_default()),
        ));
        return ExitCode::from(WRONG_USAGE);
    }
    let folder = match matches.get_one::<PathBuf>("in") {
        Some(folder) => folder.clone(),
        None => app.folder().join(DEFAULT_FOLDER),
    };
    let path = folder.join(name);
    if path.symlink_metadata().is_ok() {
        return exit::wrong_usage(&WriteSkillError::Exists { path, hint: "" });
    }
    let files = [NewFile {
        path: SKILL_MD.to_owned(),
        bytes: manifest.into_bytes(),
        executable: false,
    }];
    match write_skill(&folder, name, &files, false) {
        Ok(at) => {
            output::line(&at.join(SKILL_MD).display().to_string());
            ExitCode::SUCCESS
        }
        Err(error) => exit::failed(&error),
    }
}

fn render_manifest(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Describe in one or two sentences what the skill does and when to use \
         it.\n---\n\n# {name}\n\n\
         Write instructions for the model, step by step. Put long references into separate files and scripts into \
         `scripts/`.\n"
    )
}
