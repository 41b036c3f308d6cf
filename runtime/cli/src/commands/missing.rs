//! Commands of features that the program was built without: each says which feature has it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, value_parser};

use crate::exit;

/// The commands of features: the command, its feature, and whether the program has it.
const COMMANDS: [(&str, &str, bool); 12] = [
    ("agents", "agents", cfg!(feature = "agents")),
    ("bundles", "skill-install", cfg!(feature = "skill-install")),
    ("chat", "chat", cfg!(feature = "chat")),
    ("daemon", "schedule", cfg!(feature = "schedule")),
    ("hooks", "hooks", cfg!(feature = "hooks")),
    ("jobs", "jobs", cfg!(feature = "jobs")),
    ("mcp", "mcp", cfg!(feature = "mcp")),
    ("memory", "memory", cfg!(feature = "memory")),
    ("models", "models", cfg!(feature = "models")),
    ("schedule", "schedule", cfg!(feature = "schedule")),
    ("serve", "serve", cfg!(feature = "serve")),
    ("skills", "skills", cfg!(feature = "skills")),
];

/// Lists the commands that this program lacks, with their features.
fn missing() -> impl Iterator<Item = (&'static str, &'static str)> {
    let missing = COMMANDS.into_iter().filter(|(.., is_there)| !is_there);
    missing.map(|(name, feature, _)| (name, feature))
}

/// Adds the missing commands, hidden, where the app has none of its own by that name.
pub(super) fn add_to(command_line: Command) -> Command {
    missing().fold(command_line, |all, (name, _)| {
        match all.find_subcommand(name) {
            Some(_) => all,
            None => all.subcommand(command(name)),
        }
    })
}

/// Returns a command that takes anything.
fn command(name: &'static str) -> Command {
    let rest = Arg::new("rest").action(ArgAction::Append);
    let rest = rest.value_parser(value_parser!(OsString));
    let rest = rest.trailing_var_arg(true).allow_hyphen_values(true);
    Command::new(name)
        .hide(true)
        .disable_help_flag(true)
        .arg(rest.num_args(0..))
}

/// Fails if the command is a missing one. The name of a command of the app's own is not looked at.
pub(super) fn refuse(name: &str) -> Result<(), ExitCode> {
    let Some((name, feature)) = missing().find(|(missing, _)| *missing == name) else {
        return Ok(());
    };
    Err(exit::with_message(
        exit::WRONG_USAGE,
        format_args!(
            "this program was built without the command `{name}`: its developer adds it with the feature `{feature}` of \
             helve (`cargo add helve --features {feature}`)"
        ),
    ))
}
