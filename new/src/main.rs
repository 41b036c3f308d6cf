//! The command `helve`: `helve new NAME` makes a package with a tool, a skill, a test and a release workflow.

mod name;
mod package;

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{self, Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

use package::{CreateError, NewPackage, enclosing_workspace, has_git, is_in_repository};

/// Why nothing was made, what to do about it, and the exit code.
struct Failure {
    message: String,
    help: Option<String>,
    code: u8,
}

impl Failure {
    /// Makes the failure of a command that is not as it has to be.
    fn usage(message: String, help: String) -> Self {
        Self {
            message,
            help: Some(help),
            code: 2,
        }
    }

    fn new(message: String, help: Option<String>) -> Self {
        Self {
            message,
            help,
            code: 1,
        }
    }
}

fn command_line() -> Command {
    let name = Arg::new("name")
        .value_name("NAME")
        .required(true)
        .help("The name of the package and of its folder");
    let path = Arg::new("path")
        .long("path")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .help("Depend on the checkout of helve in a folder, in place of the published version");
    let vcs = Arg::new("vcs")
        .long("vcs")
        .value_name("VCS")
        .value_parser(["git", "none"])
        .help("Make a repository, or none [default: git, if git is there and the folder is in no repository]");
    let new = Command::new("new")
        .about("Make a package with a tool, a skill, a test and a release workflow")
        .args([name, path, vcs]);
    Command::new("helve")
        .about("Make programs with helve")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(new)
}

fn main() -> ExitCode {
    let matches = command_line().get_matches();
    let made = match matches.subcommand() {
        Some((_, arguments)) => new(arguments),
        None => Ok(()),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}", failure.message);
            if let Some(help) = &failure.help {
                eprintln!("help: {help}");
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Makes a package in the current folder.
fn new(arguments: &ArgMatches) -> Result<(), Failure> {
    let name = arguments
        .get_one::<String>("name")
        .map_or("", String::as_str);
    check_name(name)?;
    if name.contains(|c: char| c.is_ascii_uppercase()) {
        let lower = name.to_ascii_lowercase();
        eprintln!(
            "warning: the package name `{name}` has capital letters, which rustc warns of; consider `{lower}`"
        );
    }
    let here = env::current_dir().map_err(|error| {
        Failure::new(format!("the current folder cannot be read: {error}"), None)
    })?;
    let path = arguments.get_one::<PathBuf>("path");
    let helve = path.map(|folder| checkout(folder)).transpose()?;
    let vcs = arguments.get_one::<String>("vcs").map(String::as_str);
    let package = NewPackage {
        name,
        folder: here.join(name),
        helve,
        init_git: vcs.map_or_else(|| has_git() && !is_in_repository(&here), |vcs| vcs == "git"),
    };
    package.create().map_err(|error| failure(error, &package))?;
    report(name, &here);
    Ok(())
}

fn check_name(name: &str) -> Result<(), Failure> {
    name::check(name).map_err(|message| {
        let help = match name.rsplit_once(['/', '\\']) {
            Some((folder, last)) if !folder.is_empty() && name::check(last).is_ok() => {
                format!("run `helve new {last}` in the folder `{folder}`")
            }
            _ => format!("try `helve new {}`", name::suggest(name)),
        };
        Failure::usage(message, help)
    })
}

/// Returns the path of a checkout of helve, as a manifest names it.
fn checkout(folder: &Path) -> Result<String, Failure> {
    let refuse = |reason: String| {
        let help = "give the folder that has the `Cargo.toml` of helve";
        Failure::usage(
            format!("`{}` is no checkout of helve: {reason}", folder.display()),
            help.to_owned(),
        )
    };
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))
        .map_err(|error| refuse(format!("its `Cargo.toml` cannot be read: {error}")))?;
    if !manifest
        .lines()
        .any(|line| line.trim_end() == "name = \"helve\"")
    {
        return Err(refuse(
            "its `Cargo.toml` is that of another package".to_owned(),
        ));
    }
    let folder = path::absolute(folder).map_err(|error| refuse(error.to_string()))?;
    // Without the separators at its end.
    let folder: PathBuf = folder.components().collect();
    folder
        .into_os_string()
        .into_string()
        .map_err(|_| refuse("the path is not UTF-8".to_owned()))
}

fn failure(error: CreateError, package: &NewPackage<'_>) -> Failure {
    let folder = package.folder.display();
    match error {
        CreateError::Exists => Failure::new(
            format!("`{folder}` already exists"),
            Some("choose another name, or remove it first".to_owned()),
        ),
        CreateError::Write(path, error) => Failure::new(
            format!("`{}` cannot be written: {error}", path.display()),
            None,
        ),
        CreateError::Git(message) => Failure::new(
            format!("`git init` failed in `{folder}`: {message}"),
            Some(format!(
                "run `helve new {} --vcs none` for a package without a repository",
                package.name
            )),
        ),
    }
}

/// Prints what was made and what to run next.
fn report(name: &str, here: &Path) {
    let note = enclosing_workspace(here).map_or_else(String::new, |manifest| {
        let manifest = manifest.display();
        format!(
            "note: `{manifest}` is a workspace; add `{name}` to its `members` if they do not cover it\n"
        )
    });
    let text = format!(
        "     Created package `{name}`
             src/main.rs                    a tool, and the program
             skills/shorten-text/SKILL.md   a skill
             tests/command_line.rs          a test that runs the program
             .github/workflows/release.yml  static builds of a release
{note}
Next:
    cd {name}
    cargo run -- call count_words --text \"one two\"
    cargo test
"
    );
    // The package is there, whether or not somebody reads this.
    let _ = io::stdout().write_all(text.as_bytes());
}
