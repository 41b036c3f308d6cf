//! Replies to requests that have to wait.

use std::time::Instant;

use super::super::wire::{ReplyPayload, WireError, WireReply};
use super::state::SandboxSupervisor;
use crate::sandbox::{ProcessId, ReadOutput};

/// A request that is not answered yet.
#[derive(Debug)]
pub(super) struct PendingReply {
    pub(super) connection: u64,
    pub(super) number: u64,
    pub(super) process: ProcessId,
    pub(super) condition: WaitCondition,
    pub(super) deadline: Instant,
}

/// The condition that a request waits for.
#[derive(Debug)]
pub(super) enum WaitCondition {
    /// The start, successful or failed.
    Start,
    /// The end of the process.
    End,
    Output(ReadOutput),
    /// The given number of input bytes is written.
    InputWritten(u64),
}

/// A reply, and the bytes that follow it.
type ReplyWithBytes = (ReplyPayload, Vec<u8>);

impl SandboxSupervisor {
    pub(super) fn pending_replies_of(&self, connection: u64) -> usize {
        let own = |waiter: &&PendingReply| waiter.connection == connection;
        self.waiters.iter().filter(own).count()
    }

    /// Answers the requests that can be answered.
    pub(super) fn send_ready_replies(&mut self) {
        for waiter in std::mem::take(&mut self.waiters) {
            self.reply_or_wait(waiter);
        }
    }

    /// Answers a request immediately, or as soon as its condition holds.
    pub(super) fn reply_or_wait(&mut self, waiter: PendingReply) {
        match self.try_reply(&waiter) {
            Ok(None) => self.waiters.push(waiter),
            Ok(Some((answer, bytes))) => {
                self.reply(waiter.connection, waiter.number, Ok(answer), &bytes)
            }
            Err(failure) => self.reply(waiter.connection, waiter.number, Err(failure), &[]),
        }
    }

    pub(super) fn reply(
        &mut self,
        connection: u64,
        number: u64,
        result: Result<ReplyPayload, WireError>,
        bytes: &[u8],
    ) {
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.queue_reply(&WireReply { number, result }, bytes);
        }
    }

    fn try_reply(&mut self, waiter: &PendingReply) -> Result<Option<ReplyWithBytes>, WireError> {
        let id = &waiter.process;
        let process = self.processes.get_mut(id);
        let process = process.ok_or_else(|| WireError::UnknownProcess(id.clone()))?;
        let late = Instant::now() >= waiter.deadline;
        let is_over = process.reported_exit().is_some() || late;
        let is_ready = match &waiter.condition {
            WaitCondition::Start => {
                if let Some(failure) = process.failed.take() {
                    self.forget(id);
                    return Err(failure);
                }
                process.started || is_over
            }
            WaitCondition::End => is_over,
            WaitCondition::Output(read) => {
                let chunk = process.read(read, late).transpose();
                let chunk = chunk
                    .map_err(|error| WireError::io("failed to read the recorded output", error))?;
                return Ok(chunk.map(|chunk| {
                    let (offset, total, end) = (chunk.offset, chunk.total, chunk.end);
                    (ReplyPayload::Output { offset, total, end }, chunk.bytes)
                }));
            }
            WaitCondition::InputWritten(count) => {
                return match process.input.is_written(*count, late) {
                    None => Ok(None),
                    Some(true) => Ok(Some((ReplyPayload::Done, Vec::new()))),
                    Some(false) => Err(WireError::InputClosed(id.clone())),
                };
            }
        };
        Ok(is_ready.then(|| (ReplyPayload::Status(process.status(id)), Vec::new())))
    }
}
