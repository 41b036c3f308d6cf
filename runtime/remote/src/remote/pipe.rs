//! Bytes between threads that block and tasks that do not.

use std::io::{self, Read, Write};

use tokio::sync::mpsc;

/// How many bytes are passed on at once.
const PART: usize = 128 << 10;

/// A pipe that is written on a blocking thread and read by a task.
pub(super) struct PipeWriter {
    parts: mpsc::Sender<io::Result<Vec<u8>>>,
    part: Vec<u8>,
}

impl PipeWriter {
    /// Creates a pipe.
    pub(super) fn new() -> (Self, mpsc::Receiver<io::Result<Vec<u8>>>) {
        let (parts, receiver) = mpsc::channel(4);
        (
            Self {
                parts,
                part: Vec::new(),
            },
            receiver,
        )
    }

    /// Passes on what is left; an error cuts the other end off.
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
    part: Vec<u8>,
    at: usize,
}

impl PipeReader {
    /// Reads what has come already, then the parts that follow.
    pub(super) fn new(start: Vec<u8>, parts: mpsc::Receiver<io::Result<Vec<u8>>>) -> Self {
        Self {
            parts,
            part: start,
            at: 0,
        }
    }
}

impl Read for PipeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            match self.parts.blocking_recv() {
                Some(part) => (self.part, self.at) = (part?, 0),
                None => return Ok(0),
            }
        }
        let count = buffer.len().min(self.part.len() - self.at);
        buffer[..count].copy_from_slice(&self.part[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
