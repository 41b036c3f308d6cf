//! Questions whose answers take time.

use std::time::Instant;

use super::super::wire::{Answer, Failure, Reply};
use super::state::SandboxSupervisor;
use super::waiter::{Waiter, Wants};

type Answered = (Result<Answer, Failure>, Vec<u8>);

impl SandboxSupervisor {
    pub(super) fn waiters_of(&self, connection: u64) -> usize {
        let own = |waiter: &&Waiter| waiter.connection == connection;
        self.waiters.iter().filter(own).count()
    }

    /// Answers what can be answered by now.
    pub(super) fn answer_waiters(&mut self) {
        let now = Instant::now();
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters {
            match self.try_answer(&waiter, now) {
                Some((result, bytes)) => {
                    self.reply(waiter.connection, waiter.number, result, &bytes)
                }
                None => self.waiters.push(waiter),
            }
        }
    }

    /// Answers a question at once, or as soon as that is possible.
    pub(super) fn answer_or_wait(&mut self, waiter: Waiter) {
        match self.try_answer(&waiter, Instant::now()) {
            Some((result, bytes)) => self.reply(waiter.connection, waiter.number, result, &bytes),
            None => self.waiters.push(waiter),
        }
    }

    pub(super) fn reply(
        &mut self,
        connection: u64,
        number: u64,
        result: Result<Answer, Failure>,
        bytes: &[u8],
    ) {
        if let Some(connection) = self.connections.get_mut(&connection) {
            connection.queue_reply(&Reply { number, result }, bytes);
        }
    }

    fn try_answer(&mut self, waiter: &Waiter, now: Instant) -> Option<Answered> {
        let Some(process) = self.processes.get_mut(&waiter.process) else {
            let failure = Failure::UnknownProcess(waiter.process.clone());
            return Some((Err(failure), Vec::new()));
        };
        let late = now >= waiter.deadline;
        match &waiter.wants {
            Wants::Start => {
                if let Some(failure) = process.failed.take() {
                    self.forget(&waiter.process);
                    return Some((Err(failure), Vec::new()));
                }
                let told = process.started || process.told_exit().is_some() || late;
                told.then(|| {
                    (
                        Ok(Answer::Status(process.status(&waiter.process))),
                        Vec::new(),
                    )
                })
            }
            Wants::End => {
                let told = process.told_exit().is_some() || late;
                told.then(|| {
                    (
                        Ok(Answer::Status(process.status(&waiter.process))),
                        Vec::new(),
                    )
                })
            }
            Wants::Output(read) => process.read(read, late).map(|read| match read {
                Ok(chunk) => {
                    let answer = Answer::Output {
                        offset: chunk.offset,
                        total: chunk.total,
                        end: chunk.end,
                    };
                    (Ok(answer), chunk.bytes)
                }
                Err(error) => (
                    Err(Failure::io("kept output cannot be read", error)),
                    Vec::new(),
                ),
            }),
            Wants::Taken(count) => process.input.taken(*count, late).map(|taken| {
                let closed = || Failure::InputClosed(waiter.process.clone());
                (taken.then_some(Answer::Done).ok_or_else(closed), Vec::new())
            }),
        }
    }
}
