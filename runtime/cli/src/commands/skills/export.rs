//! `skills export`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::write::{NewFile, WriteSkillError, write_skill};
use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::{exit, output};
use helve_skill::{Skill, SkillError};

pub(super) fn command() -> Command {
    let folder = Arg::new("folder")
        .value_name("DIR")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The folder to create the skill folders in");
    let force = Arg::new("force")
        .long("force")
        .action(ArgAction::SetTrue)
        .help("Overwrite existing folders");
    Command::new("export")
        .about("Export the embedded skills as folders")
        .arg(folder)
        .arg(force)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let Some(folder) = matches.get_one::<PathBuf>("folder") else {
        return ExitCode::from(WRONG_USAGE);
    };
    let catalog = app.skills.current();
    let embedded = catalog
        .skills()
        .filter(|skill| skill.origin().is_embedded());
    let embedded: Vec<&Skill> = embedded.collect();
    let force = matches.get_flag("force");
    if let Some(error) = find_existing(folder, &embedded).filter(|_| !force) {
        return exit::wrong_usage(&error);
    }
    for skill in &embedded {
        let files = match read_files(skill).await {
            Ok(files) => files,
            Err(error) => return exit::failed(&error),
        };
        match write_skill(folder, skill.name(), &files, force) {
            Ok(at) => output::line(&at.display().to_string()),
            Err(error) => return exit::failed(&error),
        }
    }
    if embedded.is_empty() {
        output::note("this program embeds no skills");
    }
    ExitCode::SUCCESS
}

/// Finds an existing folder that would be overwritten, before anything is written.
fn find_existing(folder: &Path, skills: &[&Skill]) -> Option<WriteSkillError> {
    let places = skills.iter().map(|skill| folder.join(skill.name()));
    let taken = places
        .into_iter()
        .find(|path| path.symlink_metadata().is_ok())?;
    Some(WriteSkillError::Exists {
        path: taken,
        hint: "\nhelp: use `--force` to overwrite it",
    })
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
