//! The exit codes of the program.

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

use helve_terminal::output;

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

/// The exit code of a command; an error is the code of a command that failed and has printed the reason.
pub(super) type CommandResult = Result<ExitCode, ExitCode>;

/// Prints the error of a command, and converts it to the exit code.
pub(super) trait OrExit<T> {
    /// Returns the value, or the code of a failure.
    fn or_failed(self) -> Result<T, ExitCode>;

    /// Returns the value, or the code of wrong usage.
    fn or_wrong_usage(self) -> Result<T, ExitCode>;
}

impl<T, E: Error> OrExit<T> for Result<T, E> {
    fn or_failed(self) -> Result<T, ExitCode> {
        self.map_err(|error| failed(&error))
    }

    fn or_wrong_usage(self) -> Result<T, ExitCode> {
        self.map_err(|error| wrong_usage(&error))
    }
}

pub(super) fn failed(error: &dyn Error) -> ExitCode {
    output::error(error);
    ExitCode::from(FAILED)
}

/// Prints an error with its causes, and returns the exit code of wrong usage.
pub(super) fn wrong_usage(error: &dyn Error) -> ExitCode {
    output::error(error);
    ExitCode::from(WRONG_USAGE)
}

/// Prints the message of an error, and returns an exit code.
pub(super) fn with_message(code: u8, message: impl Display) -> ExitCode {
    output::note(&format!("error: {message}"));
    ExitCode::from(code)
}

/// Prints that standard input cannot be read, and returns the exit code.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn stdin_failed(error: std::io::Error) -> ExitCode {
    with_message(
        FAILED,
        format_args!("failed to read standard input: {error}"),
    )
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
