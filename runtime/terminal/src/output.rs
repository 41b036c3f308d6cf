//! Output to the terminal. A closed pipe is not an error, and control characters of tools and models are replaced.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use crate::sanitize::{self, replace_controls};
use crate::screen::{self, Colors, Line, Stream};

pub use helve_untrusted::columns;

/// Writes text to standard output. Control characters are replaced if standard output is a terminal.
pub fn print(text: &str) {
    // An active screen writes the text above its live lines.
    let sent = screen::send_text(|| replace_controls(text).into_owned(), Stream::Stdout);
    if sent {
        return;
    }
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() {
        replace_controls(text)
    } else {
        Cow::Borrowed(text)
    };
    record_write(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}

/// Writes a line to standard output.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Writes untrusted text to standard output as one line.
pub fn one_line(text: &str) {
    line(&sanitize::one_line(text));
}

/// Writes a value to standard output as JSON on several lines.
pub fn json(value: &impl serde::Serialize) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Writes styled lines to standard output.
pub fn lines(lines: &[Line]) {
    let colors = Colors::of_stdout();
    let mut text = String::new();
    for line in lines {
        line.write(colors, &mut text);
        text.push('\n');
    }
    let mut stdout = io::stdout().lock();
    record_write(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    );
}

/// The first failure to write to standard output.
static WRITE_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Records the first failure to write to standard output, for example on a full disk. A closed pipe is ignored.
pub fn record_write(outcome: io::Result<()>) {
    if let Err(error) = outcome
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = WRITE_ERROR.set(error);
    }
}

/// Returns the first failure to write to standard output.
pub fn write_error() -> Option<&'static io::Error> {
    WRITE_ERROR.get()
}

/// Writes text to standard error.
pub fn print_to_stderr(text: &str) {
    let shown = || replace_controls(text).into_owned();
    if !screen::send_text(shown, Stream::Stderr) {
        let _ = write!(io::stderr().lock(), "{}", replace_controls(text));
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    let line = || format!("{}\n", replace_controls(text));
    if screen::send_text(line, Stream::Stderr) {
        return;
    }
    let _ = writeln!(io::stderr().lock(), "{}", replace_controls(text));
}

/// Writes a remark, which may contain untrusted text, to standard error as one line.
pub fn remark(text: &str) {
    note(&format!("note: {}", sanitize::one_line(text)));
}

/// Writes an error and its causes to standard error.
pub fn error(error: &dyn std::error::Error) {
    let mut text = format!("error: {error}");
    let mut link = error.source();
    while let Some(cause) = link {
        text.push_str("\n  Caused by: ");
        text.push_str(&cause.to_string());
        link = cause.source();
    }
    note(&text);
}
