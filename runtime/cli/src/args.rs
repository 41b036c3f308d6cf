//! Constructors of command line arguments.

use clap::{Arg, ArgAction, ArgMatches};

/// Creates a flag without a value.
pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// Creates a flag with a value.
pub(super) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    positional(name, value, help).long(name)
}

/// Creates a flag with a value that can be given several times.
pub(super) fn repeated(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).action(ArgAction::Append)
}

/// Creates an argument without a flag.
pub(super) fn positional(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).help(help)
}

/// Creates the flag `--json`.
pub(super) fn json() -> Arg {
    flag("json", "Print JSON")
}

/// Returns the text of an argument; empty if the argument is not given.
pub(super) fn text<'m>(matches: &'m ArgMatches, name: &str) -> &'m str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}
