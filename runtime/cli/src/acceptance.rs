//! Asks the user to accept new or changed content, after showing it.

use std::fmt::Display;
use std::process::ExitCode;

use clap::Arg;

use super::terminal::{self, Terminal};
use super::{args, exit, output};
use helve_permission::acceptances::{Acceptances, Difference};

/// Returns where the user's acceptances are kept; without a home folder nothing is accepted.
pub(super) fn user_store() -> Acceptances {
    Acceptances::for_user().unwrap_or_default()
}

/// Says that the content of a file is not in force, and how to accept the file.
pub(super) fn trust_hint(what: &dyn Display, binary: &str) -> String {
    format!("{what}; run `{binary} permissions trust` to review and accept the file")
}

/// The flag that answers the question beforehand.
pub(super) fn argument() -> Arg {
    args::flag("yes", "Accept without asking")
}

/// Shows the differences and asks the user to accept them. The error is the exit code; its reason is printed already.
/// Without a terminal, the printed hint names `command`.
pub(super) async fn ask(
    differences: &[&Difference],
    is_answered: bool,
    command: &str,
) -> Result<(), ExitCode> {
    for difference in differences {
        output::line(difference.to_string().trim_end());
    }
    if is_answered {
        return Ok(());
    }
    if !Terminal::is_attached() {
        return Err(exit::with_message(
            exit::FAILED,
            format_args!(
                "nothing was accepted: standard input is not a terminal\n\
                 help: run `{command} --yes` to accept without asking"
            ),
        ));
    }
    if terminal::confirm("Accept these changes?").await {
        return Ok(());
    }
    output::line("nothing was accepted");
    Err(ExitCode::from(exit::FAILED))
}
