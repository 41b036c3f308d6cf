//! A question that waits for its answer.

use std::time::Instant;

use crate::sandbox::{ProcessId, ReadOutput};

/// A question that was asked and not answered yet.
#[derive(Debug)]
pub(super) struct PendingReply {
    pub(super) connection: u64,
    pub(super) number: u64,
    pub(super) process: ProcessId,
    pub(super) condition: WaitCondition,
    pub(super) deadline: Instant,
}

/// What a question waits for.
#[derive(Debug)]
pub(super) enum WaitCondition {
    /// The start, reported or failed.
    Start,
    /// The end of the process.
    End,
    /// Output.
    Output(ReadOutput),
    /// That so many bytes of the input were taken.
    InputWritten(u64),
}
