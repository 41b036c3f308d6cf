//! The exit codes of the program.

use std::process::ExitCode;

/// The command failed, or the turn ended early.
pub(super) const FAILED: u8 = 1;
/// Wrong usage: an unknown tool, invalid arguments or invalid settings.
pub(super) const WRONG_USAGE: u8 = 2;
/// The turn waits for an answer or an external result.
pub(super) const WAITING: u8 = 3;
/// The turn was interrupted with Ctrl-C; shells report a program that SIGINT ended with the same code.
pub(super) const INTERRUPTED: u8 = 130;

/// The help about the exit codes, for scripts.
pub(super) const HELP: &str = "\
Exit codes:
    0  finished
    1  failed, or ended early
    2  wrong usage: a flag, an argument or a setting
    3  waits for an answer or an external result (see `sessions` and `resume`)
  130  interrupted";

/// Prints an error with its causes, and returns the exit code.
pub(super) fn failed(error: &dyn std::error::Error) -> ExitCode {
    super::output::error(error);
    ExitCode::from(FAILED)
}

/// Prints an error of usage with its causes, and returns the exit code.
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
