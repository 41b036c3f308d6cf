//! Why a job has no result.

use std::io;
use std::time::Duration;

/// Why a [job](super::WorkerJob) has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The program never called [`become_helper`](crate::reexec::become_helper), so it cannot be started again as a worker.
    #[error("this program did not call `helve::become_helper()`; call it first in `main`")]
    NotReady,
    /// This system has no confined workers: they need Linux on x86_64 or aarch64.
    #[error("confined workers need Linux on x86_64 or aarch64")]
    Unsupported,
    /// The worker could not be started.
    #[error("the worker cannot be started: {0}")]
    Start(#[source] io::Error),
    /// The worker could not be confined, so it read nothing.
    #[error("the worker cannot be confined: {0}")]
    Confine(String),
    /// The argument of the job has more than 1 MiB of JSON.
    #[error("the argument of the job is larger than 1 MiB")]
    TooLarge,
    /// The job took longer than [`JobLimits::wall`](super::JobLimits::wall).
    #[error("the job did not end within {} s", .0.as_secs_f64())]
    Deadline(Duration),
    /// A signal ended the worker: the limit of memory or of processor time, a stack that overflowed, an abort.
    #[error("the worker was ended by signal {signal} ({})", cause(*.signal))]
    Killed {
        /// The number of the signal.
        signal: i32,
    },
    /// The worker ended without a result.
    #[error("the worker ended without a result (exit code {code})")]
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// The worker sent something that a worker does not send.
    #[error("the worker broke the protocol: {0}")]
    Protocol(String),
    /// The job itself reported that it failed.
    #[error("{0}")]
    Job(String),
}

/// Names what a signal usually means here.
fn cause(signal: i32) -> &'static str {
    match signal {
        4 | 5 | 7 => "an invalid operation",
        6 => "aborted: memory or stack used up",
        9 => "killed",
        11 => "an invalid memory access, or stack used up",
        24 => "processor time used up",
        31 => "a forbidden system call",
        _ => "unexpected",
    }
}
