//! The codes that the program exits with.

use std::process::ExitCode;

/// What was asked for failed, or the turn ended before it was finished.
pub(super) const FAILED: u8 = 1;
/// The question itself was wrong: an unknown tool, arguments that do not fit, a setting that makes no sense.
pub(super) const WRONG_USAGE: u8 = 2;
/// The turn waits for somebody elsewhere: an answer, or a result.
pub(super) const WAITING: u8 = 3;
/// Ctrl-C ended it: what a shell says of a program that a signal ended.
pub(super) const INTERRUPTED: u8 = 130;

/// Says of the codes what a person who writes scripts has to know.
pub(super) const HELP: &str = "\
Exit codes:
    0  finished
    1  failed, or ended before it was finished
    2  wrong usage: a flag, an argument or a setting
    3  waits for an answer or a result from elsewhere (`sessions`, then `resume`)
  130  interrupted";

/// Tells an error with its causes, and makes it the code to exit with.
pub(super) fn failed(error: &dyn std::error::Error) -> ExitCode {
    super::output::error(error);
    ExitCode::from(FAILED)
}

/// Tells an error with its causes that lies in how the program was asked, and makes it the code to exit with.
pub(super) fn wrong_usage(error: &dyn std::error::Error) -> ExitCode {
    super::output::error(error);
    ExitCode::from(WRONG_USAGE)
}

/// Prints an error of the command line parser. Help and the version are such errors, too, and go to standard output.
pub(super) fn clap_error(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(WRONG_USAGE)
    } else {
        ExitCode::SUCCESS
    }
}
