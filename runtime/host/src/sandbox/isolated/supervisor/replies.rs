//! Questions whose answers take time.

use std::time::Instant;

use super::super::wire::{Reply, ReplyPayload, WireError};
use super::pending_reply::{PendingReply, WaitCondition};
use super::state::SandboxSupervisor;

type ReplyWithBytes = (Result<ReplyPayload, WireError>, Vec<u8>);

impl SandboxSupervisor {
    pub(super) fn pending_replies_of(&self, connection: u64) -> usize {
        let own = |waiter: &&PendingReply| waiter.connection == connection;
        self.waiters.iter().filter(own).count()
    }

    /// Answers what can be answered by now.
    pub(super) fn send_ready_replies(&mut self) {
        let now = Instant::now();
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters {
            match self.try_reply(&waiter, now) {
                Some((result, bytes)) => {
                    self.reply(waiter.connection, waiter.number, result, &bytes)
                }
                None => self.waiters.push(waiter),
            }
        }
    }

    /// Answers a question at once, or as soon as that is possible.
    pub(super) fn reply_or_wait(&mut self, waiter: PendingReply) {
        match self.try_reply(&waiter, Instant::now()) {
            Some((result, bytes)) => self.reply(waiter.connection, waiter.number, result, &bytes),
            None => self.waiters.push(waiter),
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
            connection.queue_reply(&Reply { number, result }, bytes);
        }
    }

    fn try_reply(&mut self, waiter: &PendingReply, now: Instant) -> Option<ReplyWithBytes> {
        let Some(process) = self.processes.get_mut(&waiter.process) else {
            let failure = WireError::UnknownProcess(waiter.process.clone());
            return Some((Err(failure), Vec::new()));
        };
        let late = now >= waiter.deadline;
        match &waiter.condition {
            WaitCondition::Start => {
                if let Some(failure) = process.failed.take() {
                    self.forget(&waiter.process);
                    return Some((Err(failure), Vec::new()));
                }
                let told = process.started || process.reported_exit().is_some() || late;
                told.then(|| {
                    (
                        Ok(ReplyPayload::Status(process.status(&waiter.process))),
                        Vec::new(),
                    )
                })
            }
            WaitCondition::End => {
                let told = process.reported_exit().is_some() || late;
                told.then(|| {
                    (
                        Ok(ReplyPayload::Status(process.status(&waiter.process))),
                        Vec::new(),
                    )
                })
            }
            WaitCondition::Output(read) => process.read(read, late).map(|read| match read {
                Ok(chunk) => {
                    let answer = ReplyPayload::Output {
                        offset: chunk.offset,
                        total: chunk.total,
                        end: chunk.end,
                    };
                    (Ok(answer), chunk.bytes)
                }
                Err(error) => (
                    Err(WireError::io("failed to read the recorded output", error)),
                    Vec::new(),
                ),
            }),
            WaitCondition::InputWritten(count) => {
                process.input.is_written(*count, late).map(|taken| {
                    let closed = || WireError::InputClosed(waiter.process.clone());
                    (
                        taken.then_some(ReplyPayload::Done).ok_or_else(closed),
                        Vec::new(),
                    )
                })
            }
        }
    }
}
