//! The one question about what a person accepts: what is new or has changed is shown before it.

use std::process::ExitCode;

use clap::{Arg, ArgAction};

use super::terminal::{self, Terminal};
use super::{exit, output};
use helve_permission::acceptances::{Acceptances, Difference};

/// Returns where the user's acceptances are kept; without a home folder nothing is accepted.
pub(super) fn user_store() -> Acceptances {
    Acceptances::for_user().unwrap_or_default()
}

/// The flag that answers the question beforehand.
pub(super) fn argument() -> Arg {
    Arg::new("yes")
        .long("yes")
        .action(ArgAction::SetTrue)
        .help("Accept what is shown without asking")
}

/// Shows differences, and asks once whether they are accepted. The error is the code to exit with where they are not: the
/// reason is told by then, with `command`, which accepts them, where nobody can answer.
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
        output::note("error: nothing was accepted: there is no terminal to answer at");
        output::note(&format!("help: `{command} --yes` accepts what is shown"));
        return Err(ExitCode::from(exit::FAILED));
    }
    if terminal::confirm("Do you accept this?").await {
        return Ok(());
    }
    output::line("nothing was accepted");
    Err(ExitCode::from(exit::FAILED))
}
