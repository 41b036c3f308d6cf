//! Commands of features that the program was built without: each says which feature has it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, value_parser};

use crate::exit;

/// The commands that this program lacks, which are named like their features.
const MISSING: [&str; MISSING_COUNT] = [
    #[cfg(not(feature = "agents"))]
    "agents",
    #[cfg(not(feature = "chat"))]
    "chat",
    #[cfg(not(feature = "hooks"))]
    "hooks",
    #[cfg(not(feature = "jobs"))]
    "jobs",
    #[cfg(not(feature = "mcp"))]
    "mcp",
    #[cfg(not(feature = "memory"))]
    "memory",
    #[cfg(not(feature = "models"))]
    "models",
    #[cfg(not(feature = "schedule"))]
    "schedule",
    #[cfg(not(feature = "serve"))]
    "serve",
    #[cfg(not(feature = "skills"))]
    "skills",
];

const MISSING_COUNT: usize = cfg!(not(feature = "agents")) as usize
    + cfg!(not(feature = "chat")) as usize
    + cfg!(not(feature = "hooks")) as usize
    + cfg!(not(feature = "jobs")) as usize
    + cfg!(not(feature = "mcp")) as usize
    + cfg!(not(feature = "memory")) as usize
    + cfg!(not(feature = "models")) as usize
    + cfg!(not(feature = "schedule")) as usize
    + cfg!(not(feature = "serve")) as usize
    + cfg!(not(feature = "skills")) as usize;

/// Adds the missing commands, hidden, where the app has none of its own by that name.
pub(super) fn add_to(command_line: Command) -> Command {
    MISSING
        .into_iter()
        .fold(command_line, |all, name| match all.find_subcommand(name) {
            Some(_) => all,
            None => all.subcommand(command(name)),
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
    if !MISSING.contains(&name) {
        return Ok(());
    }
    Err(exit::with_message(
        exit::WRONG_USAGE,
        format_args!(
            "this program was built without the command `{name}`: its developer adds it with the feature `{name}` of \
             helve (`cargo add helve --features {name}`)"
        ),
    ))
}
