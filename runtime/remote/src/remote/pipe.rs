//! Pipes between blocking threads and async tasks.

use std::io::{self, Cursor, Read, Write};

use tokio::sync::mpsc;

/// The size of the parts that are sent, in bytes.
const PART: usize = 128 << 10;

/// A pipe that is written on a blocking thread and read by a task.
pub(super) struct PipeWriter {
    parts: mpsc::Sender<io::Result<Vec<u8>>>,
    part: Vec<u8>,
}

impl PipeWriter {
    pub(super) fn new() -> (Self, mpsc::Receiver<io::Result<Vec<u8>>>) {
        let (parts, receiver) = mpsc::channel(4);
        let part = Vec::new();
        (Self { parts, part }, receiver)
    }

    /// Sends the rest; an error ends the pipe with that error.
    pub(super) fn finish(mut self, result: io::Result<()>) {
        let last = result.and_then(|()| self.flush());
        if let Err(error) = last {
            let _ = self.parts.blocking_send(Err(error));
        }
    }
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.part.is_empty() {
            return Ok(());
        }
        let part = std::mem::take(&mut self.part);
        self.parts
            .blocking_send(Ok(part))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// A pipe that is read on a blocking thread.
pub(super) struct PipeReader {
    parts: mpsc::Receiver<io::Result<Vec<u8>>>,
    part: Cursor<Vec<u8>>,
}

impl PipeReader {
    /// Creates a reader of the bytes that have arrived already, and of the parts that follow.
    pub(super) fn new(start: Vec<u8>, parts: mpsc::Receiver<io::Result<Vec<u8>>>) -> Self {
        Self {
            parts,
            part: Cursor::new(start),
        }
    }
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.part.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.parts.blocking_recv() {
                Some(part) => self.part = Cursor::new(part?),
                None => return Ok(0),
            }
        }
    }
}
