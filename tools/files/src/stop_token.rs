//! Stops file work on the blocking pool when its call ends.

use std::io::{self, Read};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use helve::ToolContext;
use helve::tool::Interruption;

/// How long before its deadline a call stops, so that its results can still be returned.
const MARGIN: Duration = Duration::from_millis(250);

/// The caller's side: while it exists, the result is needed.
pub(super) struct StopSource {
    context: ToolContext,
    deadline: Option<Instant>,
    alive: Arc<()>,
}

impl StopSource {
    /// Watches the cancellation and the deadline of a call.
    pub(super) fn new(cx: &ToolContext) -> Self {
        let now = Instant::now();
        let until = cx.deadline().map(|deadline| {
            let left = deadline.into_std().saturating_duration_since(now);
            now + left.saturating_sub(MARGIN.min(left / 4))
        });
        Self {
            context: cx.clone(),
            deadline: until,
            alive: Arc::new(()),
        }
    }

    /// Reports whether the deadline is reached.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|until| Instant::now() >= until)
    }

    /// Returns an error if the call was cancelled, so that partial results are not taken for complete ones.
    pub(super) fn check(&self) -> Result<(), Interruption> {
        if self.context.cancellation().is_cancelled() {
            Err(Interruption::cancelled(false))
        } else {
            Ok(())
        }
    }

    /// Wraps a reader so that it fails when the result is no longer needed.
    pub(super) fn reader<R: Read>(&self, reader: R) -> StoppableReader<R> {
        self.interest().reader(reader)
    }

    /// Returns a token for a job that reads many files.
    pub(super) fn interest(&self) -> StopToken {
        StopToken(Arc::new(StopState {
            context: self.context.clone(),
            deadline: self.deadline,
            alive: Arc::downgrade(&self.alive),
        }))
    }
}

/// The worker's side, which reports whether the result is still needed.
#[derive(Clone)]
pub(super) struct StopToken(Arc<StopState>);

struct StopState {
    context: ToolContext,
    deadline: Option<Instant>,
    alive: Weak<()>,
}

impl StopToken {
    /// Reports whether the call was cancelled or dropped, or its deadline is reached.
    pub(super) fn is_stopped(&self) -> bool {
        self.0.alive.strong_count() == 0
            || self.0.context.cancellation().is_cancelled()
            || self.0.deadline.is_some_and(|until| Instant::now() >= until)
    }

    /// Wraps a reader so that it fails when the result is no longer needed.
    pub(super) fn reader<R: Read>(&self, reader: R) -> StoppableReader<R> {
        StoppableReader {
            reader,
            stop_token: self.clone(),
            failure: None,
        }
    }
}

/// A reader that fails when its call is cancelled or dropped, or its deadline is reached.
pub(super) struct StoppableReader<R> {
    reader: R,
    stop_token: StopToken,
    failure: Option<ReadFailure>,
}

/// The reason why reading ended before the end of the file.
pub(super) enum ReadFailure {
    /// The result is no longer needed, or the deadline is reached.
    Stopped,
    /// The file could not be read, with the reason.
    Failed(String),
}

impl<R> StoppableReader<R> {
    /// Returns why reading failed; `None` if it succeeded.
    pub(super) fn into_failure(self) -> Option<ReadFailure> {
        self.failure
    }
}

impl<R: Read> Read for StoppableReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop_token.is_stopped() {
            self.failure = Some(ReadFailure::Stopped);
            return Err(io::ErrorKind::TimedOut.into());
        }
        let result = self.reader.read(buffer);
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failure = Some(ReadFailure::Failed(error.to_string()));
        }
        result
    }
}
