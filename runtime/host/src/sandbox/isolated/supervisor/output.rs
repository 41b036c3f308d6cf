//! The streams of a process: output is stored on disk, input is taken from a short queue.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use crate::sandbox::OutputChunk;
use crate::sandbox::spool::Spool;

/// The size of the read buffer, in bytes: the capacity of a pipe.
const PART: usize = 64 << 10;
/// The greatest number of reads after a process has ended: more than the capacity of a pipe can only come from
/// processes that still write.
const LAST_PARTS: usize = 4;

/// One output stream of a process.
pub(super) struct OutputPipe {
    from: Option<OwnedFd>,
    spool: Spool,
}

impl OutputPipe {
    pub(super) fn over(from: Option<OwnedFd>, spool: Spool) -> Self {
        Self { from, spool }
    }

    pub(super) fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn total(&self) -> u64 {
        self.spool.total()
    }

    /// Reports whether a read at the offset can be answered: with bytes, or with the end.
    pub(super) fn has_reply_at(&self, offset: u64) -> bool {
        self.spool.total() > offset || self.from.is_none()
    }

    pub(super) fn read(&self, offset: u64, max: usize) -> io::Result<OutputChunk> {
        let mut chunk = self.spool.read(offset, max)?;
        chunk.end = self.from.is_none() && chunk.next() >= chunk.total;
        Ok(chunk)
    }

    /// Stores the available output, at most one buffer.
    pub(super) fn fill(&mut self) {
        self.read_part();
    }

    /// Stores all output that was written so far.
    pub(super) fn read_to_end(&mut self) {
        for _ in 0..LAST_PARTS {
            if !self.read_part() {
                return;
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.from = None;
    }

    /// Stores at most one buffer; reports whether there was output.
    fn read_part(&mut self) -> bool {
        let Some(from) = &self.from else {
            return false;
        };
        let mut part = [0; PART];
        match rustix::io::read(from, &mut part[..]) {
            // A terminal without an open end on the other side reports the end as an error.
            Ok(0) | Err(Errno::IO) => self.from = None,
            Ok(count) => {
                // Output that cannot be stored is still counted: later offsets stay correct, and a reader sees the gap.
                let _ = self.spool.append(&part[..count]);
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.from = None,
        }
        false
    }
}

/// The input of a process.
#[derive(Default)]
pub(super) struct InputPipe {
    to: Option<OwnedFd>,
    queue: VecDeque<u8>,
    /// The total number of bytes that were queued.
    queued: u64,
    /// Whether no more input follows.
    is_closing: bool,
    /// Whether the end of the input is sent as a character, as for a terminal.
    terminal: bool,
    /// Whether the last line is incomplete.
    has_open_line: bool,
}

/// The greatest number of queued bytes.
const QUEUE: usize = 4 << 20;
/// The character that ends the input of a terminal: Ctrl-D.
const END_OF_INPUT: u8 = 4;

impl InputPipe {
    pub(super) fn over(to: Option<OwnedFd>, terminal: bool) -> Self {
        Self {
            to,
            terminal,
            ..Self::default()
        }
    }

    /// Returns the descriptor that must be writable before more input can be written.
    pub(super) fn pending_fd(&self) -> Option<BorrowedFd<'_>> {
        let waiting = !self.queue.is_empty();
        self.to.as_ref().filter(|_| waiting).map(AsFd::as_fd)
    }

    /// Queues bytes; returns the total number of bytes that have been written once these are, or `None` if the input is
    /// closed.
    pub(super) fn push(&mut self, bytes: &[u8], end: bool) -> Option<u64> {
        if self.to.is_none() || self.is_closing || self.queue.len() + bytes.len() > QUEUE {
            return None;
        }
        self.queue.extend(bytes);
        self.queued += bytes.len() as u64;
        self.has_open_line = bytes
            .last()
            .map_or(self.has_open_line, |&last| last != b'\n');
        if end {
            self.is_closing = true;
            // Within a line, the first end-of-input character only flushes the incomplete line.
            let told = match (self.terminal, self.has_open_line) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            self.queue.extend(std::iter::repeat_n(END_OF_INPUT, told));
            self.queued += told as u64;
        }
        self.flush();
        Some(self.queued)
    }

    /// Reports whether `count` bytes were written; `None` while they may still be written and it is not too `late`.
    pub(super) fn is_written(&self, count: u64, late: bool) -> Option<bool> {
        let taken = self.queued - self.queue.len() as u64 >= count;
        (taken || late || self.to.is_none()).then_some(taken)
    }

    /// Writes as much as the process accepts.
    pub(super) fn flush(&mut self) {
        let Some(to) = &self.to else { return };
        while !self.queue.is_empty() {
            match rustix::io::write(to, self.queue.as_slices().0) {
                Ok(count) => drop(self.queue.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return self.close(),
            }
        }
        if self.is_closing {
            self.to = None;
        }
    }

    pub(super) fn close(&mut self) {
        self.to = None;
    }
}
