//! Writes events as NDJSON on a separate thread.

use std::io::{self, BufWriter, Write};
use std::thread::JoinHandle;

use serde::Serialize;

use super::EventHeader;
use crate::EventReader;

/// Writes events as NDJSON on a separate thread, so that a slow pipe does not block the agent.
///
/// ```
/// use helve::agent::{EventHeader, Events, NdjsonWriter};
///
/// let events = Events::new();
/// let writer = NdjsonWriter::start(events.reader(), EventHeader::new("app", "1.0.0"), std::io::stdout())?;
/// // … `agent.run(messages, &context, events.sink())` …
/// events.close();
/// writer.finish()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NdjsonWriter {
    thread: JoinHandle<io::Result<()>>,
}

impl NdjsonWriter {
    /// Starts writing: the header, then each event as it arrives, until the stream ends.
    ///
    /// # Errors
    /// The thread cannot be created.
    pub fn start(
        events: EventReader,
        header: EventHeader,
        to: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let builder = std::thread::Builder::new().name("events".to_owned());
        let thread = builder.spawn(move || write_events(events, &header, to))?;
        Ok(Self { thread })
    }

    /// Waits until everything is written. The stream has to end first: it is closed, or all its senders are dropped.
    ///
    /// # Errors
    /// Writing failed; later events are lost. If the reader closes a pipe, the error is
    /// [`BrokenPipe`](io::ErrorKind::BrokenPipe), which is not an error of the run.
    pub fn finish(self) -> io::Result<()> {
        let panicked = || io::Error::other("the thread that writes events panicked");
        self.thread.join().unwrap_or_else(|_| Err(panicked()))
    }
}

fn write_events(mut events: EventReader, header: &EventHeader, to: impl Write) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    write_line(&mut to, header)?;
    to.flush()?;
    loop {
        let event = match events.try_read() {
            Some(event) => event,
            None => {
                // All queued events are flushed before this thread waits.
                to.flush()?;
                match events.wait() {
                    Some(event) => event,
                    None => return to.flush(),
                }
            }
        };
        write_line(&mut to, &event)?;
    }
}

fn write_line(to: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    to.write_all(b"\n")
}
