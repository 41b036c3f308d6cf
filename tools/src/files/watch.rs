//! File work on the blocking pool that ends when its call does.

use std::io::{self, Read};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use helve::ToolContext;
use helve::tool::Interrupted;

/// How long before its deadline a call stops by itself, so that what it has found still arrives.
const MARGIN: Duration = Duration::from_millis(250);

/// The waiting end of a call: while it lives, somebody wants the result.
pub(super) struct Watch {
    context: ToolContext,
    until: Option<Instant>,
    waiting: Arc<()>,
}

impl Watch {
    /// Watches the cancellation and the deadline of a call.
    pub(super) fn new(cx: &ToolContext) -> Self {
        let now = Instant::now();
        let until = cx.deadline().map(|deadline| {
            let left = deadline.into_std().saturating_duration_since(now);
            now + left.saturating_sub(MARGIN.min(left / 4))
        });
        Self {
            context: cx.clone(),
            until,
            waiting: Arc::new(()),
        }
    }

    /// Reports whether time is up.
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Fails once the call was cancelled, so that what was found till then does not pass for the whole.
    pub(super) fn check(&self) -> Result<(), Interrupted> {
        if self.context.cancellation().is_cancelled() {
            Err(Interrupted::cancelled(false))
        } else {
            Ok(())
        }
    }

    /// Wraps a reader so that it fails once nobody wants to know more.
    pub(super) fn reader<R: Read>(&self, reader: R) -> Watched<R> {
        self.interest().reader(reader)
    }

    /// Gives the working end, for a job that reads many files.
    pub(super) fn interest(&self) -> Interest {
        Interest(Arc::new(Interested {
            context: self.context.clone(),
            until: self.until,
            waiting: Arc::downgrade(&self.waiting),
        }))
    }
}

/// The working end of a call: it knows whether anybody still wants the result.
#[derive(Clone)]
pub(super) struct Interest(Arc<Interested>);

struct Interested {
    context: ToolContext,
    until: Option<Instant>,
    waiting: Weak<()>,
}

impl Interest {
    /// Reports whether the call was cancelled, dropped or is out of time.
    pub(super) fn is_gone(&self) -> bool {
        self.0.waiting.strong_count() == 0
            || self.0.context.cancellation().is_cancelled()
            || self.0.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Wraps a reader so that it fails once nobody wants to know more.
    pub(super) fn reader<R: Read>(&self, reader: R) -> Watched<R> {
        Watched {
            reader,
            interest: self.clone(),
            ended: None,
        }
    }
}

/// A reader that fails when its call is cancelled, dropped or out of time.
pub(super) struct Watched<R> {
    reader: R,
    interest: Interest,
    ended: Option<Ended>,
}

/// Why reading ended before the end of the file.
pub(super) enum Ended {
    /// Nobody waits any more, or time is up.
    Stopped,
    /// The file could not be read, for this reason.
    Failed(String),
}

impl<R> Watched<R> {
    /// Tells why reading failed; `None` where it did not.
    pub(super) fn ended(self) -> Option<Ended> {
        self.ended
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interest.is_gone() {
            self.ended = Some(Ended::Stopped);
            return Err(io::ErrorKind::TimedOut.into());
        }
        let result = self.reader.read(buffer);
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.ended = Some(Ended::Failed(error.to_string()));
        }
        result
    }
}
