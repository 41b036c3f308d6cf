//! Errors of jobs.

use std::io;
use std::time::Duration;

/// An error of a [job](super::WorkerJob).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The program never called [`become_helper`](crate::reexec::become_helper), so it cannot be started again as a worker.
    #[error("this program did not call `helve::become_helper()`; call it first in `main`")]
    NotReady,
    /// This system does not support confined workers: they need Linux on x86_64 or aarch64.
    #[error("confined workers need Linux on x86_64 or aarch64")]
    Unsupported,
    /// The worker could not be started.
    #[error("the worker cannot be started: {0}")]
    Start(#[source] io::Error),
    /// The worker could not be confined, and read no untrusted bytes.
    #[error("the worker cannot be confined: {0}")]
    Confine(String),
    /// The JSON argument of the job exceeds 1 MiB.
    #[error("the argument of the job is larger than 1 MiB")]
    TooLarge,
    /// The job took longer than [`JobLimits::wall`](super::JobLimits::wall).
    #[error("the job did not end within {} s", .0.as_secs_f64())]
    Deadline(Duration),
    /// A signal ended the worker: a memory or processor time limit, a stack overflow, or an abort.
    #[error("the worker was ended by signal {signal} ({})", cause(*.signal))]
    Killed {
        /// The number of the signal.
        signal: i32,
    },
    /// The worker ended without a result.
    #[error("the worker ended without a result (exit code {code})")]
    Exited {
        /// The exit code.
        code: i32,
    },
    /// The worker violated the protocol.
    #[error("the worker broke the protocol: {0}")]
    Protocol(String),
    /// The job itself reported that it failed.
    #[error("{0}")]
    Job(String),
}

/// Returns the usual cause of a signal.
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
