//! The output of a call while it runs: where a command writes it, and once.

use helve_core::support::lock::Mutex;
use helve_core::support::text::first_bytes;
use helve_core::tool::{ProgressStream, ProgressUpdate, ToolOutput};

use helve_terminal::output;

/// The maximum number of bytes of messages that are shown.
const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// The maximum number of bytes of shown output that are compared with the result.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// Prints the output of a call as it arrives: the standard output of a command, or the result as it grows, to standard
/// output; the rest to standard error.
#[derive(Default)]
pub(super) struct LiveOutput {
    shown: Mutex<ShownOutput>,
}

#[derive(Default)]
struct ShownOutput {
    /// The beginning of what was printed to standard output.
    stdout: String,
    /// Whether anything was printed that the result has, too.
    has_output: bool,
    /// Whether the last line on standard output is not finished.
    is_in_line: bool,
    message_bytes: usize,
}

impl LiveOutput {
    pub(super) fn report(&self, update: ProgressUpdate) {
        let mut shown = self.shown.lock();
        match update.stream.unwrap_or_default() {
            _ if update.text.is_empty() => {}
            ProgressStream::Stdout => shown.print_stdout(&update.text),
            ProgressStream::Stderr => {
                shown.has_output = true;
                output::print_to_stderr(&update.text);
            }
            ProgressStream::Info => shown.print_message(&update.text),
        }
        if let Some(message) = update.message {
            shown.print_message(&message);
        }
    }

    /// Returns the part of a result's text that was not printed while it arrived.
    pub(super) fn unseen<'r>(&self, result: &ToolOutput, text: &'r str) -> &'r str {
        let mut shown = self.shown.lock();
        let is_shown = shown.has_output && result.exit().is_some();
        let rest = match text.strip_prefix(&*shown.stdout) {
            _ if is_shown => "",
            Some(rest) if !shown.stdout.is_empty() => rest,
            _ => {
                shown.end_line();
                return text;
            }
        };
        if rest.is_empty() {
            shown.end_line();
        }
        rest
    }
}

impl ShownOutput {
    fn print_stdout(&mut self, text: &str) {
        output::print(text);
        let left = MAX_COMPARED_BYTES.saturating_sub(self.stdout.len());
        self.stdout.push_str(first_bytes(text, left));
        self.has_output = true;
        self.is_in_line = !text.ends_with('\n');
    }

    fn print_message(&mut self, words: &str) {
        let left = MAX_MESSAGE_BYTES.saturating_sub(self.message_bytes);
        self.message_bytes += words.len();
        if words.is_empty() || left == 0 {
            return;
        }
        let text = first_bytes(words, left);
        output::note(&format!("  {}", text.trim_end_matches('\n')));
        if words.len() >= left {
            output::note("  … further progress is not shown");
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_in_line) {
            output::line("");
        }
    }
}
