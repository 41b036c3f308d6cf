//! Following a command: what it writes goes to the screen at once, and into the result.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use helve::sandbox::{
    Exit, OutputChunk, OutputStream, ProcessId, ProcessStatus, ReadOutput, Sandbox, SandboxError,
};
use helve::tool::{Progress, ProgressStream};
use tokio::time::{Instant, sleep_until};

use super::clipped::Clipped;
use super::commands::Cursor;
use super::decoder::Decoder;

/// How long one question to the sandbox waits before it is asked again.
const WAIT: Duration = Duration::from_secs(20);

const STREAMS: [(OutputStream, ProgressStream); 2] = [
    (OutputStream::Stdout, ProgressStream::Stdout),
    (OutputStream::Stderr, ProgressStream::Stderr),
];

/// Where a command stands after it was followed.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) status: ProcessStatus,
    /// How far it was read.
    pub(super) cursor: Cursor,
    /// What it wrote meanwhile, of both streams as it came.
    pub(super) text: String,
    /// Whether not all of that is in the text.
    pub(super) is_cut: bool,
}

/// Follows a command until it ends, or so long.
pub(super) async fn follow(
    sandbox: &dyn Sandbox,
    id: &ProcessId,
    from: Cursor,
    until: Instant,
    listener: Listener<'_>,
) -> Result<Followed, SandboxError> {
    let following = Following {
        sandbox,
        id,
        progress: listener.progress,
        streams: from.0.map(|offset| {
            Mutex::new(Stream {
                offset,
                decoder: Decoder::default(),
            })
        }),
        text: Mutex::new(Gathered {
            text: Clipped::new(listener.budget),
            is_lost: false,
        }),
    };
    if Instant::now() < until {
        following.watch(until).await?;
    }
    let status = sandbox.status(id, Duration::ZERO).await?;
    following.catch_up(0, status.stdout).await?;
    following.catch_up(1, status.stderr).await?;
    Ok(following.finish(status))
}

/// Who listens to a command.
#[derive(Clone, Copy)]
pub(super) struct Listener<'l> {
    pub(super) progress: &'l Progress,
    /// How many characters of the text are wanted.
    pub(super) budget: usize,
}

struct Following<'f> {
    sandbox: &'f dyn Sandbox,
    id: &'f ProcessId,
    progress: &'f Progress,
    streams: [Mutex<Stream>; 2],
    text: Mutex<Gathered>,
}

struct Stream {
    /// The next byte to read.
    offset: u64,
    decoder: Decoder,
}

struct Gathered {
    text: Clipped,
    is_lost: bool,
}

impl Following<'_> {
    /// Reads both streams until the command ends, or time is up.
    async fn watch(&self, until: Instant) -> Result<(), SandboxError> {
        let end = async {
            while self.sandbox.status(self.id, WAIT).await?.exit.is_none() {
                tokio::task::yield_now().await;
            }
            Ok(())
        };
        let reading = async {
            match tokio::try_join!(self.keep_reading(0), self.keep_reading(1)) {
                // Both streams may be closed before the command ends.
                Ok(_) => std::future::pending().await,
                Err(error) => Err(error),
            }
        };
        tokio::select! {
            stopped = reading => stopped,
            ended = end => ended,
            () = sleep_until(until) => Ok(()),
        }
    }

    /// Reads a stream to its end, whenever there is something.
    async fn keep_reading(&self, at: usize) -> Result<(), SandboxError> {
        loop {
            let chunk = self.read(at, WAIT).await?;
            self.take(at, &chunk);
            if chunk.end {
                return Ok(());
            }
            // A sandbox that answers at once must not keep its thread from everybody else.
            tokio::task::yield_now().await;
        }
    }

    /// Reads what a stream had when its length was asked.
    async fn catch_up(&self, at: usize, total: u64) -> Result<(), SandboxError> {
        while locked(&self.streams[at]).offset < total {
            let chunk = self.read(at, Duration::ZERO).await?;
            self.take(at, &chunk);
            if chunk.end || chunk.bytes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    async fn read(&self, at: usize, wait: Duration) -> Result<OutputChunk, SandboxError> {
        let offset = locked(&self.streams[at]).offset;
        let read = ReadOutput {
            process: self.id.clone(),
            stream: STREAMS[at].0,
            offset,
            max: OutputChunk::LIMIT,
            wait,
        };
        self.sandbox.read(read).await
    }

    /// Takes what was read. Nothing is awaited here, so that a reader which is dropped has either taken it or not.
    fn take(&self, at: usize, chunk: &OutputChunk) {
        let mut stream = locked(&self.streams[at]);
        let missed = chunk.offset.saturating_sub(stream.offset);
        let mut text = String::new();
        if missed > 0 && !chunk.bytes.is_empty() {
            text = stream.decoder.finish();
        }
        text.push_str(&stream.decoder.push(&chunk.bytes));
        if !chunk.bytes.is_empty() {
            stream.offset = chunk.next();
        }
        drop(stream);
        if !chunk.bytes.is_empty() && missed > 0 {
            let mut gathered = locked(&self.text);
            gathered.text.miss(missed);
            gathered.is_lost = true;
        }
        self.tell(at, &text);
    }

    fn tell(&self, at: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.progress.is_heard() {
            self.progress.text(STREAMS[at].1, text);
        }
        locked(&self.text).text.push(text);
    }

    fn finish(self, status: ProcessStatus) -> Followed {
        let mut cursor = Cursor::default();
        for at in 0..STREAMS.len() {
            let mut stream = locked(&self.streams[at]);
            // Half a character waits for its other half, unless nothing comes any more.
            let rest = match status.exit {
                Some(_) => stream.decoder.finish(),
                None => String::new(),
            };
            cursor.0[at] = stream.offset - stream.decoder.pending();
            drop(stream);
            self.tell(at, &rest);
        }
        let gathered = self
            .text
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let (text, is_cut) = gathered.text.finish();
        Followed {
            status,
            cursor,
            text,
            is_cut: is_cut || gathered.is_lost,
        }
    }
}

impl Followed {
    /// Returns how it ended, or nothing while it runs.
    pub(super) fn exit(&self) -> Option<&Exit> {
        self.status.exit.as_ref()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
