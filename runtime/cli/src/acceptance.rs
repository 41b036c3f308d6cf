//! Asks the user to accept new or changed content, after showing it.

use std::fmt::Display;
use std::process::ExitCode;

use clap::Arg;

use super::{args, exit};
use helve_permission::acceptances::{Acceptances, Difference};
use helve_terminal::output;
use helve_terminal::questions::{self, Terminal};
#[cfg(feature = "skill-install")]
use helve_terminal::render::counted;

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

/// The flag that accepts severe findings of a scan with the answer that was given beforehand.
#[cfg(feature = "skill-install")]
pub(super) fn findings_argument() -> Arg {
    args::flag(
        "accept-findings",
        "Accept severe scan findings with `--yes`",
    )
}

/// The flag that shows whole definitions instead of their summary.
#[cfg(feature = "mcp")]
pub(super) fn details_argument() -> Arg {
    args::flag("details", "Show the whole definitions of new tools")
}

/// Shows the differences and asks the user to accept them. The error is the exit code; its reason is printed already.
/// Without a terminal, the printed hint names `command`.
pub(super) async fn ask(
    differences: &[&Difference],
    is_answered: bool,
    command: &str,
) -> Result<(), ExitCode> {
    let text = join(differences.iter().map(ToString::to_string));
    ask_about(&text, None, is_answered, command).await
}

/// Like [`ask`], but shows a summary of the difference, and the whole difference to a user who asks for it.
#[cfg(feature = "mcp")]
pub(super) async fn ask_in_short(
    difference: &Difference,
    is_answered: bool,
    command: &str,
) -> Result<(), ExitCode> {
    let (summary, details) = (difference.summary(), difference.to_string());
    let details = (summary != details).then_some(details);
    ask_about(&summary, details.as_deref(), is_answered, command).await
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.map(|text| format!("{}\n", text.trim_end())).collect()
}

/// Like [`ask`], but an answer that was given beforehand does not accept the severe findings of a scan.
#[cfg(feature = "skill-install")]
pub(super) async fn ask_about_findings(
    text: &str,
    severe: usize,
    matches: &clap::ArgMatches,
    command: &str,
) -> Result<(), ExitCode> {
    let is_answered = matches.get_flag("yes");
    if is_answered && severe > 0 && !matches.get_flag("accept-findings") {
        output::print(text);
        let message = format_args!(
            "nothing was accepted: the scan has {}\n\
             help: add `--accept-findings` if you have read what it found",
            counted(severe, "severe finding")
        );
        return Err(exit::with_message(exit::FAILED, message));
    }
    let findings = if severe > 0 { " --accept-findings" } else { "" };
    ask_about(text, None, is_answered, &format!("{command}{findings}")).await
}

/// Prints a text and asks the user to accept it, with `details` for a user who asks for them.
pub(super) async fn ask_about(
    text: &str,
    details: Option<&str>,
    is_answered: bool,
    command: &str,
) -> Result<(), ExitCode> {
    output::print(text);
    if is_answered {
        return Ok(());
    }
    if !Terminal::is_attached() {
        return Err(exit::with_message(
            exit::FAILED,
            format_args!(
                "nothing was accepted: standard input is not a terminal\n\
                 help: run `{command} --yes` to accept without asking{}",
                match details {
                    Some(_) => format!(", or `{command} --details` for the whole definitions"),
                    None => String::new(),
                }
            ),
        ));
    }
    if questions::confirm_with_details("Accept these changes?", details).await {
        return Ok(());
    }
    output::line("nothing was accepted");
    Err(ExitCode::from(exit::FAILED))
}
