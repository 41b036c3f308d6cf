//! The commands on installed skills: their files, their status, and their earlier versions.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use helve_skill_install::{InstallError, SkillInstaller, installed_rows, pack, render_installed};

use super::install::{print_none_installed, texts};
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{acceptance, args, permissions};
use helve_terminal::output;

pub(super) fn commands() -> Vec<Command> {
    let name = || args::positional("name", "SKILL", "The name of the skill").required(true);
    let names = || args::positional("name", "SKILL", "The skills, or all").num_args(0..);
    let force = || args::flag("force", "Do it even if the files were changed");
    let simple = |command: &'static str, about: &'static str| {
        Command::new(command)
            .about(about)
            .arg(name())
            .arg(user_flag())
    };
    let path = args::positional("path", "PATH", "The folder of the skill").required(true);
    let out = args::option("out", "DIR", "The folder of the archive").default_value(".");
    vec![
        Command::new("installed")
            .about("List the installed skills with their status, version and source")
            .arg(user_flag())
            .arg(args::json()),
        simple("remove", "Remove an installed skill").arg(force()),
        simple(
            "rollback",
            "Restore the version of a skill before the installed one",
        )
        .arg(force()),
        simple(
            "enable",
            "Use a disabled skill again, and make the schedule that its trigger asks for",
        )
        .arg(acceptance::argument())
        .args(permissions::arguments()),
        simple(
            "disable",
            "Do not use a skill in this project, or with `--user` anywhere",
        ),
        simple("pause", "Do not use a skill until it is resumed"),
        simple(
            "resume",
            "Use a paused skill again, and forget its failures",
        ),
        Command::new("verify")
            .about("Compare the files of installed skills with the lock file")
            .arg(names())
            .arg(user_flag()),
        Command::new("audit")
            .about(
                "Verify and scan the skills of the folder, and show what a reviewer would look at",
            )
            .arg(names())
            .arg(user_flag()),
        Command::new("pack")
            .about("Pack a skill into an archive, and print its entry for an index")
            .arg(path.value_parser(value_parser!(PathBuf)))
            .arg(out.value_parser(value_parser!(PathBuf))),
    ]
}

/// The flag that selects the skills of the user instead of those of the project.
pub(super) fn user_flag() -> Arg {
    args::flag(
        "user",
        "Use the skills of the user, in the home folder, instead of the project's",
    )
}

/// Creates the installer of the project, or of the user.
pub(super) fn installer(
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<SkillInstaller, ExitCode> {
    let no_home = || InstallError::Unavailable("there is no home folder; set `HOME`".to_owned());
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let root = match matches.get_flag("user") {
        true => home.ok_or_else(no_home).or_failed()?,
        false => app.folder.clone(),
    };
    let data = SkillInstaller::data_folder()
        .ok_or_else(no_home)
        .or_failed()?;
    Ok(SkillInstaller::new(&root, data, acceptance::user_store()))
}

pub(super) async fn run(app: &AppContext, command: &str, matches: &ArgMatches) -> CommandResult {
    if command == "pack" {
        return run_pack(matches);
    }
    let installer = installer(app, matches)?;
    let names = texts(matches, "name");
    let name = names.first().map_or("", String::as_str);
    let text = match command {
        "installed" => {
            let statuses = installer.statuses().list(&app.folder).or_failed()?;
            let lock = installer.lock_file().or_failed()?;
            if matches.get_flag("json") {
                output::json(&installed_rows(lock.skills(), &statuses));
                return Ok(ExitCode::SUCCESS);
            }
            render_installed(lock.skills(), &statuses)
        }
        "verify" | "audit" => {
            let report = installer.report(command == "audit", &names);
            let (text, is_fine) = report.map_err(|error| report_error(&error))?;
            print_or_none(app, &text);
            return match is_fine {
                true => Ok(ExitCode::SUCCESS),
                false => Err(ExitCode::from(exit::FAILED)),
            };
        }
        "remove" => {
            let removed = installer.remove(name, matches.get_flag("force"));
            removed.map_err(|error| report_error(&error))?;
            format!("removed {name}\n")
        }
        "rollback" => {
            let entry = installer.roll_back(name, matches.get_flag("force"));
            let entry = entry.map_err(|error| report_error(&error))?;
            format!("restored {name} {}\n", entry.version())
        }
        _ => {
            // A disabled skill is in no catalogue.
            let statuses = installer.statuses().list(&app.folder).or_failed()?;
            if !statuses.iter().any(|status| status.name == name) {
                app.skills.current().find(name).or_wrong_usage()?;
            }
            let everywhere = matches.get_flag("user");
            installer
                .set_status(command, name, &app.folder, everywhere)
                .or_failed()?
                + "\n"
        }
    };
    print_or_none(app, &text);
    #[cfg(feature = "schedule")]
    match command {
        "enable" => crate::schedules::enable_skill(app, name, matches).await?,
        "disable" | "pause" | "resume" | "remove" => {
            crate::schedules::follow_skill(app, command, name).await;
        }
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints an error, and returns the exit code: the usage was wrong where a name is unknown.
pub(crate) fn report_error(error: &InstallError) -> ExitCode {
    match error {
        InstallError::Unknown { .. } | InstallError::UnknownBundle { .. } => {
            exit::wrong_usage(error)
        }
        error => exit::failed(error),
    }
}

fn print_or_none(app: &AppContext, text: &str) {
    match text.is_empty() {
        true => print_none_installed(app),
        false => output::print(text),
    }
}

fn run_pack(matches: &ArgMatches) -> CommandResult {
    let path = |name| {
        matches
            .get_one::<PathBuf>(name)
            .cloned()
            .unwrap_or_default()
    };
    let packed = pack(&path("path"), &path("out")).or_failed()?;
    output::line(&packed.path.display().to_string());
    output::json(&packed.index_entry);
    Ok(ExitCode::SUCCESS)
}
