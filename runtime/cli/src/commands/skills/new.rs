//! `skills new`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use helve_skill_format::{Profile, SKILL_MD, Severity};

use super::write::{NewFile, WriteSkillError, write_skill};
use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult, OrExit as _};
use helve_terminal::{output, sanitize};

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

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let manifest = render_manifest(name);
    let parsed = helve_skill_format::parse(&manifest, Some(name), Profile::Spec);
    let mut problems = parsed.problems.iter();
    let wrong = problems.find(|problem| problem.severity == Severity::Error);
    if let Some(problem) = wrong {
        let help = problem.help.as_ref().map(|help| format!("; {help}"));
        let help = help.unwrap_or_default();
        let message = format_args!(
            "invalid skill name `{}`: {}{}",
            sanitize::one_line(name),
            sanitize::one_line(&problem.message),
            sanitize::one_line(&help),
        );
        return Err(exit::with_message(exit::WRONG_USAGE, message));
    }
    let folder = match matches.get_one::<PathBuf>("in") {
        Some(folder) => folder.clone(),
        None => app.folder.join(DEFAULT_FOLDER),
    };
    let path = folder.join(name);
    if path.symlink_metadata().is_ok() {
        return Err(WriteSkillError::Exists { path, hint: "" }).or_wrong_usage();
    }
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
