//! What is known of how a server ended.

use std::collections::VecDeque;

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::mcp::connection::words::tidy;
use crate::support::lock::Mutex;

/// How many of the last lines of standard error are kept.
const LINES: usize = 6;
/// How many characters of each are kept.
const LINE: usize = 300;
/// How long to wait for the end of a program whose output has ended.
const SETTLING: Duration = Duration::from_secs(2);

/// What is known of how a server ended: its transport notes it, and whoever tells the user asks for it.
#[derive(Debug, Default)]
pub(in crate::mcp) struct Fault {
    noted: Mutex<Noted>,
    settled: CancellationToken,
}

#[derive(Debug, Default)]
struct Noted {
    cause: Option<String>,
    exit: Option<String>,
    lines: VecDeque<String>,
    has_program: bool,
}

impl Fault {
    /// Notes why the transport broke; the last note counts.
    pub(in crate::mcp) fn note(&self, cause: impl Into<String>) {
        self.noted.lock().cause = Some(cause.into());
    }

    /// Takes the note of why the transport broke, where only a part of it did.
    pub(in crate::mcp) fn take_cause(&self) -> Option<String> {
        self.noted.lock().cause.take()
    }

    /// Notes that there is a program, whose end is worth waiting for.
    pub(super) fn started(&self) {
        self.noted.lock().has_program = true;
    }

    /// Notes how the program ended, in words that follow "it".
    pub(super) fn exited(&self, how: impl Into<String>) {
        self.noted.lock().exit = Some(how.into());
        self.settled.cancel();
    }

    /// Keeps a line of the program's standard error.
    pub(super) fn said(&self, line: &str) {
        let line = tidy(line, LINE);
        if line.is_empty() {
            return;
        }
        let mut noted = self.noted.lock();
        if noted.lines.len() == LINES {
            noted.lines.pop_front();
        }
        noted.lines.push_back(line);
    }

    /// Waits until the program's end is known, where there is a program, but not for long.
    pub(in crate::mcp) async fn settle(&self) {
        if self.noted.lock().has_program {
            let _ = tokio::time::timeout(SETTLING, self.settled.cancelled()).await;
        }
    }

    /// Tells how the server ended, as far as it is known.
    pub(in crate::mcp) fn how(&self) -> String {
        let noted = self.noted.lock();
        let how = [noted.cause.as_deref(), noted.exit.as_deref()];
        let how: Vec<&str> = how.into_iter().flatten().collect();
        let how = match how.as_slice() {
            [] => "it closed the connection".to_owned(),
            known => known.join("; "),
        };
        drop(noted);
        how + &self.last_words()
    }

    /// Tells what the program said last, to follow a sentence; nothing where it said nothing.
    pub(in crate::mcp) fn last_words(&self) -> String {
        let noted = self.noted.lock();
        if noted.lines.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = noted.lines.iter().map(String::as_str).collect();
        format!("; its standard error ended with: {}", lines.join(" ⏎ "))
    }
}
