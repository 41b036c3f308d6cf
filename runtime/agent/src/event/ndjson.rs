//! Events as NDJSON, written on a thread of its own.

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
    /// Starts writing: the header, then each event as it comes, until the stream is over.
    ///
    /// # Errors
    /// There can be no more threads.
    pub fn start(
        events: EventReader,
        header: EventHeader,
        to: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let builder = std::thread::Builder::new().name("events".to_owned());
        let thread = builder.spawn(move || write_events(events, &header, to))?;
        Ok(Self { thread })
    }

    /// Waits until everything is written. The stream has to be over for that: closed, or all its senders dropped.
    ///
    /// # Errors
    /// It could not be written to; what came after that is lost. A reader that closes a pipe has read enough:
    /// [`BrokenPipe`](io::ErrorKind::BrokenPipe) is no error of the run.
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
                // The reader gets all queued events before this thread waits.
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
