//! Records how a server ended.

use std::collections::VecDeque;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::sanitize::one_line;
use helve_core::support::lock::Mutex;

/// The number of lines of standard error that are stored.
const LINES: usize = 6;
const LINE: usize = 300;
/// How long to wait for the exit of a program that has closed its output.
const SETTLING: Duration = Duration::from_secs(2);

/// Records how a server ended. The transport writes the record, and errors read it.
#[derive(Debug, Default)]
pub(crate) struct Fault {
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
    /// Records why the transport broke; the last record is kept.
    pub(crate) fn note(&self, cause: impl Into<String>) {
        self.noted.lock().cause = Some(cause.into());
    }

    /// Removes and returns the reason why a part of the transport broke.
    pub(crate) fn take_cause(&self) -> Option<String> {
        self.noted.lock().cause.take()
    }

    /// Records that the server is a program, whose exit status will follow.
    pub(super) fn started(&self) {
        self.noted.lock().has_program = true;
    }

    /// Records how the program ended, as a verb phrase whose subject is the program.
    pub(super) fn exited(&self, how: impl Into<String>) {
        self.noted.lock().exit = Some(how.into());
        self.settled.cancel();
    }

    /// Logs and stores a line of the program's standard error.
    pub(super) fn record_line(&self, line: &str) {
        tracing::debug!(
            line = line.trim_end(),
            "an MCP server wrote to its standard error"
        );
        let line = one_line(line, LINE);
        if line.is_empty() {
            return;
        }
        let mut noted = self.noted.lock();
        if noted.lines.len() == LINES {
            noted.lines.pop_front();
        }
        noted.lines.push_back(line);
    }

    /// Waits briefly until the exit of the program is known, if the server is a program.
    pub(crate) async fn settle(&self) {
        if self.noted.lock().has_program {
            let _ = tokio::time::timeout(SETTLING, self.settled.cancelled()).await;
        }
    }

    /// Describes how the server ended, if that is known.
    pub(crate) fn how(&self) -> String {
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

    /// Returns the last lines of standard error as the continuation of a sentence; empty if there are none.
    pub(crate) fn last_words(&self) -> String {
        let noted = self.noted.lock();
        if noted.lines.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = noted.lines.iter().map(String::as_str).collect();
        format!("; its standard error ended with: {}", lines.join(" ⏎ "))
    }
}
