//! The argument that names a skill.

use clap::{Arg, ArgMatches};

pub(super) fn argument() -> Arg {
    Arg::new("name").value_name("SKILL").required(true)
}

/// Returns the name that is given.
pub(super) fn get(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").map_or("", String::as_str)
}
