//! One connection of an app to a supervisor.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFlags, Timespec};
use rustix::io::Errno;

use super::super::wire::{Frame, WireReply, encode, parse};

/// The size of queued replies, in bytes, above which no more requests are read.
const MAX_QUEUED_BYTES: usize = 4 << 20;
/// The greatest number of requests of one connection that may wait for their replies.
const MAX_REQUESTS: usize = 256;
/// The size of the read buffer, in bytes.
const PART: usize = 64 << 10;
/// The time limit for sending the rest when the connection closes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    socket: OwnedFd,
    received: Vec<u8>,
    outgoing: Vec<u8>,
    /// Whether the peer has closed the connection.
    pub(super) is_closed: bool,
}

impl Connection {
    pub(super) fn from_socket(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self {
            socket,
            received: Vec::new(),
            outgoing: Vec::new(),
            is_closed: false,
        })
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Returns the events to poll for: nothing is read from an app that does not read its replies.
    pub(super) fn interest(&self, questions: usize) -> PollFlags {
        let mut flags = PollFlags::empty();
        if self.outgoing.len() < MAX_QUEUED_BYTES && questions < MAX_REQUESTS {
            flags |= PollFlags::IN;
        }
        if !self.outgoing.is_empty() {
            flags |= PollFlags::OUT;
        }
        flags
    }

    /// Reads the available bytes, and returns the complete messages.
    pub(super) fn read_frames(&mut self) -> Vec<Frame> {
        let mut part = vec![0; PART];
        match rustix::io::read(&self.socket, &mut part[..]) {
            Ok(0) => self.is_closed = true,
            Ok(count) => self.received.extend_from_slice(&part[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.is_closed = true,
        }
        std::iter::from_fn(|| {
            let frame = parse(&mut self.received);
            self.is_closed |= frame.is_err();
            frame.ok().flatten()
        })
        .collect()
    }

    /// Queues a reply.
    pub(super) fn queue_reply(&mut self, reply: &WireReply, bytes: &[u8]) {
        match encode(reply, bytes) {
            Ok(frame) => self.outgoing.extend_from_slice(&frame),
            Err(_) => self.is_closed = true,
        }
    }

    /// Sends as much as the peer accepts.
    pub(super) fn flush(&mut self) {
        while !self.outgoing.is_empty() && !self.is_closed {
            let flags = rustix::net::SendFlags::NOSIGNAL;
            match rustix::net::send(&self.socket, &self.outgoing, flags) {
                Ok(count) => drop(self.outgoing.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.is_closed = true,
            }
        }
    }

    /// Sends the rest, as far as the peer still reads.
    pub(super) fn close(mut self) {
        self.flush();
        if !self.outgoing.is_empty() && !self.is_closed {
            let mut fds = [rustix::event::PollFd::new(&self.socket, PollFlags::OUT)];
            let timeout = Timespec::try_from(CLOSE_TIMEOUT).ok();
            let _ = rustix::event::poll(&mut fds, timeout.as_ref());
            self.flush();
        }
    }
}
