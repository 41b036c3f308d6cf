//! One connection of an app to a keeper.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFlags, Timespec};
use rustix::io::Errno;

use super::super::wire::{Frame, Reply, encode, parse};

/// How much may wait to be sent before no more questions are taken.
const BACKLOG: usize = 4 << 20;
/// How many questions of one connection may wait for their answers.
const QUESTIONS: usize = 256;
/// How much is read at once.
const PART: usize = 64 << 10;
/// How long the last words may take.
const FAREWELL: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    socket: OwnedFd,
    heard: Vec<u8>,
    said: Vec<u8>,
    over: bool,
}

impl Connection {
    pub(super) fn over(socket: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Self {
            socket,
            heard: Vec::new(),
            said: Vec::new(),
            over: false,
        })
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Whether the other side is gone.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// What to wait for: an app that does not read its answers is not heard any more.
    pub(super) fn interest(&self, questions: usize) -> PollFlags {
        let mut flags = PollFlags::empty();
        if self.said.len() < BACKLOG && questions < QUESTIONS {
            flags |= PollFlags::IN;
        }
        if !self.said.is_empty() {
            flags |= PollFlags::OUT;
        }
        flags
    }

    /// Reads what has come, and returns the messages that are whole.
    pub(super) fn hear(&mut self) -> Vec<Frame> {
        let mut part = vec![0; PART];
        match rustix::io::read(&self.socket, &mut part[..]) {
            Ok(0) => self.over = true,
            Ok(count) => self.heard.extend_from_slice(&part[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.over = true,
        }
        let mut frames = Vec::new();
        loop {
            match parse(&mut self.heard) {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => return frames,
                Err(_) => {
                    self.over = true;
                    return frames;
                }
            }
        }
    }

    /// Queues an answer.
    pub(super) fn say(&mut self, reply: &Reply, bytes: &[u8]) {
        match encode(reply, bytes) {
            Ok(frame) => self.said.extend_from_slice(&frame),
            Err(_) => self.over = true,
        }
    }

    /// Drops whoever broke off in the middle.
    pub(super) fn hang_up(&mut self) {
        self.over = true;
    }

    /// Sends as much as the other side takes.
    pub(super) fn flush(&mut self) {
        while !self.said.is_empty() && !self.over {
            let flags = rustix::net::SendFlags::NOSIGNAL;
            match rustix::net::send(&self.socket, &self.said, flags) {
                Ok(count) => drop(self.said.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.over = true,
            }
        }
    }

    /// Sends the rest, as far as somebody still reads.
    pub(super) fn farewell(mut self) {
        self.flush();
        if !self.said.is_empty() && !self.over {
            let mut fds = [rustix::event::PollFd::new(&self.socket, PollFlags::OUT)];
            let timeout = Timespec {
                tv_sec: FAREWELL.as_secs().try_into().unwrap_or(1),
                tv_nsec: 0,
            };
            let _ = rustix::event::poll(&mut fds, Some(&timeout));
            self.flush();
        }
    }
}
