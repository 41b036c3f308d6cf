//! The arguments that several of the commands have.

use clap::ArgMatches;

use crate::args;
use helve_core::transcript::SessionId;

/// Returns the session that the command is about.
pub(super) fn session_id(matches: &ArgMatches) -> SessionId {
    SessionId::from(args::text(matches, "id"))
}

/// Returns the text of an argument; `-` reads standard input.
pub(super) fn read_argument(argument: &str) -> std::io::Result<String> {
    match argument {
        "-" => std::io::read_to_string(std::io::stdin()),
        text => Ok(text.to_owned()),
    }
}
