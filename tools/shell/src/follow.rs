//! Follows a command: its output is displayed at once, and collected for the result.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use helve::sandbox::{
    Child, ChildChunk, ChildOutput, Exit, OutputChunk, OutputStream, ProcessStatus, SandboxError,
};
use helve::tool::{Progress, ProgressStream};
use tokio::time::{Instant, sleep_until};

use super::clipped_text::ClippedText;
use super::commands::Cursor;
use super::decoder::Decoder;

/// The state of a command after it was followed.
#[derive(Debug)]
pub(super) struct FollowOutcome {
    pub(super) status: ProcessStatus,
    /// The new read position.
    pub(super) cursor: Cursor,
    /// The output of both streams, in the order in which it was received.
    pub(super) text: String,
    /// Whether the text is truncated.
    pub(super) is_truncated: bool,
}

/// Follows a command until it ends, or until the timeout.
pub(super) async fn follow(
    child: &Child,
    from: Cursor,
    until: Instant,
    listener: FollowOptions<'_>,
) -> Result<FollowOutcome, SandboxError> {
    let text = Text {
        progress: listener.progress,
        gathered: Mutex::new(FollowedText {
            text: ClippedText::new(listener.budget),
            has_lost_bytes: false,
        }),
    };
    let [stdout, stderr] = from.0;
    let mut stdout = StreamState {
        output: child.output(OutputStream::Stdout, stdout),
        shown_as: ProgressStream::Stdout,
        decoder: Decoder::default(),
    };
    let mut stderr = StreamState {
        output: child.output(OutputStream::Stderr, stderr),
        shown_as: ProgressStream::Stderr,
        decoder: Decoder::default(),
    };
    if Instant::now() < until {
        watch(child, [&mut stdout, &mut stderr], &text, until).await?;
    }
    let status = child.status().await?;
    stdout.catch_up(status.stdout, &text).await?;
    stderr.catch_up(status.stderr, &text).await?;
    let has_ended = status.exit.is_some();
    let cursor = Cursor([
        stdout.finish(has_ended, &text),
        stderr.finish(has_ended, &text),
    ]);
    let gathered = text.gathered.into_inner();
    let gathered = gathered.unwrap_or_else(PoisonError::into_inner);
    let (text, is_cut) = gathered.text.finish();
    Ok(FollowOutcome {
        status,
        cursor,
        text,
        is_truncated: is_cut || gathered.has_lost_bytes,
    })
}

/// Reads both streams until the command ends, or until the timeout.
async fn watch(
    child: &Child,
    [stdout, stderr]: [&mut StreamState; 2],
    text: &Text<'_>,
    until: Instant,
) -> Result<(), SandboxError> {
    let reading = async {
        match tokio::try_join!(stdout.read_to_end(text), stderr.read_to_end(text)) {
            // Both streams may be closed before the command ends.
            Ok(_) => std::future::pending().await,
            Err(error) => Err(error),
        }
    };
    tokio::select! {
        stopped = reading => stopped,
        ended = child.wait() => ended.map(drop),
        () = sleep_until(until) => Ok(()),
    }
}

/// The options of following a command.
#[derive(Clone, Copy)]
pub(super) struct FollowOptions<'l> {
    pub(super) progress: &'l Progress,
    /// The greatest length of the text, in characters.
    pub(super) budget: usize,
}

/// The text of both streams as received, which is also displayed at once.
struct Text<'f> {
    progress: &'f Progress,
    gathered: Mutex<FollowedText>,
}

struct FollowedText {
    text: ClippedText,
    has_lost_bytes: bool,
}

impl Text<'_> {
    fn push(&self, shown_as: ProgressStream, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.progress.is_enabled() {
            self.progress.text(shown_as, text);
        }
        self.gathered().text.push(text);
    }

    fn miss(&self, bytes: u64) {
        let mut gathered = self.gathered();
        gathered.text.miss(bytes);
        gathered.has_lost_bytes = true;
    }

    fn gathered(&self) -> std::sync::MutexGuard<'_, FollowedText> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct StreamState {
    output: ChildOutput,
    shown_as: ProgressStream,
    decoder: Decoder,
}

impl StreamState {
    /// Reads the stream whenever there is data, until its end.
    async fn read_to_end(&mut self, text: &Text<'_>) -> Result<(), SandboxError> {
        loop {
            let chunk = self.output.next(OutputChunk::LIMIT).await?;
            self.take(&chunk, text);
            if chunk.end {
                return Ok(());
            }
            // A sandbox that always responds at once must not block other tasks of the thread.
            tokio::task::yield_now().await;
        }
    }

    /// Reads up to the length that the stream had when it was queried.
    async fn catch_up(&mut self, total: u64, text: &Text<'_>) -> Result<(), SandboxError> {
        while self.output.offset() < total {
            let read = self.output.read(OutputChunk::LIMIT, Duration::ZERO);
            let chunk = read.await?;
            self.take(&chunk, text);
            if chunk.end || chunk.bytes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Processes a chunk. There is no await in this method, so that a dropped reader has either processed a chunk or
    /// not.
    fn take(&mut self, chunk: &ChildChunk, text: &Text<'_>) {
        if chunk.bytes.is_empty() {
            return;
        }
        let mut decoded = String::new();
        if chunk.missed > 0 {
            decoded = self.decoder.finish();
        }
        decoded.push_str(&self.decoder.push(&chunk.bytes));
        if chunk.missed > 0 {
            text.miss(chunk.missed);
        }
        text.push(self.shown_as, &decoded);
    }

    /// Displays the rest if the command has ended, and returns the next byte to read.
    fn finish(&mut self, has_ended: bool, text: &Text<'_>) -> u64 {
        // An incomplete character waits for its rest, unless the command has ended.
        let rest = if has_ended {
            self.decoder.finish()
        } else {
            String::new()
        };
        text.push(self.shown_as, &rest);
        self.output.offset() - self.decoder.pending()
    }
}

impl FollowOutcome {
    /// Returns the exit of the command; `None` while it runs.
    pub(super) fn exit(&self) -> Option<&Exit> {
        self.status.exit.as_ref()
    }
}
