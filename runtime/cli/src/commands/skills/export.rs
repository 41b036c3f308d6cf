//! `skills export`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult, OrExit as _, WRONG_USAGE};
use helve_skill::{NewFile, Skill, SkillError, WriteSkillError, write_skill};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let folder = args::positional("folder", "DIR", "The folder to create the skill folders in");
    Command::new("export")
        .about("Export the embedded skills as folders")
        .arg(folder.required(true).value_parser(value_parser!(PathBuf)))
        .arg(args::flag("force", "Overwrite existing folders"))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let Some(folder) = matches.get_one::<PathBuf>("folder") else {
        return Err(ExitCode::from(WRONG_USAGE));
    };
    let catalog = app.skills.current();
    let embedded = catalog
        .skills()
        .filter(|skill| skill.origin().is_embedded());
    let embedded: Vec<&Skill> = embedded.collect();
    let force = matches.get_flag("force");
    if let Some(error) = find_existing(folder, &embedded).filter(|_| !force) {
        return Err(exit::wrong_usage(&error));
    }
    for skill in &embedded {
        let files = read_files(skill).await.or_failed()?;
        let at = write_skill(folder, skill.name(), &files, force).or_failed()?;
        output::line(&at.display().to_string());
    }
    if embedded.is_empty() {
        output::note("this program embeds no skills");
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds an existing folder that would be overwritten, before anything is written.
fn find_existing(folder: &Path, skills: &[&Skill]) -> Option<WriteSkillError> {
    let places = skills.iter().map(|skill| folder.join(skill.name()));
    let taken = places
        .into_iter()
        .find(|path| path.symlink_metadata().is_ok())?;
    Some(WriteSkillError::exists(
        taken,
        "\nhelp: use `--force` to overwrite it",
    ))
}

async fn read_files(skill: &Skill) -> Result<Vec<NewFile>, SkillError> {
    let mut files = Vec::new();
    for file in skill.files() {
        files.push(NewFile {
            path: file.path.to_owned(),
            bytes: skill.read(file.path).await?.into_owned(),
            executable: file.executable,
        });
    }
    Ok(files)
}
