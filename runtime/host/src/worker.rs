//! Confined workers: processes that parse untrusted formats.
//!
//! A parser of a complicated format has bugs, which a malicious file can exploit. A job therefore runs in a separate
//! process: the program, [started again](crate::reexec::become_helper), without files, network, other processes or
//! inherited descriptors, with an allowlist of system calls, and with limits on memory, processor time and wall time. A
//! job gets a JSON value and bytes, may call its host, and returns a JSON value and bytes. Any other behaviour of a job
//! is an error, and has no other effect. One worker runs one job; a spare worker is started in advance, so that the
//! next job starts fast.
//!
//! Workers need neither root nor user namespaces. Without `become_helper`, and on systems other than Linux, a job
//! fails; it never runs in the process of the app.
//!
//! ```no_run
//! use helve::worker::{self, JobLimits, JobContext};
//! use serde_json::{Value, json};
//!
//! helve::worker_job! {
//!     /// Counts the lines of a document.
//!     static COUNT_LINES: "my_app/count_lines" = count_lines;
//! }
//!
//! fn count_lines(port: &mut JobContext, _: Value) -> Result<Value, String> {
//!     let bytes = port.take_data();
//!     Ok(json!(bytes.split(|byte| *byte == b'\n').count()))
//! }
//!
//! # async fn counted(document: Vec<u8>) -> Result<Value, helve::worker::WorkerError> {
//! let output = worker::run(&COUNT_LINES, json!(null), document, JobLimits::default()).await?;
//! # Ok(output.result)
//! # }
//! ```

#[cfg(target_os = "linux")]
mod child;
mod error;
#[cfg(target_os = "linux")]
mod filter;
mod frames;
mod job_context;
#[cfg(target_os = "linux")]
mod parent;
mod registration;
#[cfg(target_os = "linux")]
mod spawner;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(target_os = "linux")]
pub(crate) use child::serve;
pub use error::WorkerError;
pub use job_context::JobContext;
#[doc(hidden)]
pub use registration::private;

/// A function that runs in a worker. [`worker_job!`](crate::worker_job) defines and registers a job.
#[derive(Debug)]
#[non_exhaustive]
pub struct WorkerJob {
    /// The name of the job, unique in the program.
    pub name: &'static str,
    /// The function of the job, which gets the argument that was passed to [`run`].
    pub run: fn(&mut JobContext, Value) -> Result<Value, String>,
}

/// The limits of a job. Exceeding a limit ends the job.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct JobLimits {
    /// The address space in bytes in addition to that of the program, including the stack. All running jobs share 224
    /// MiB: a job waits until its part is free.
    pub memory: u64,
    /// The size of the stack, in bytes.
    pub stack: usize,
    /// The processor time, in whole seconds.
    pub cpu: Duration,
    /// The time from [`run`] to the result, including waiting. The time of calls to the host does not count.
    pub wall: Duration,
    /// The number of bytes that a job may [write](JobContext::write).
    pub output: usize,
    /// The number of calls to the host.
    pub calls: usize,
}

/// Returns 160 MiB of memory with a stack of 8 MiB, 10 s of processor time, 30 s of wall time, 8 MiB of output and
/// 1,000 calls.
impl Default for JobLimits {
    fn default() -> Self {
        Self {
            memory: 160 << 20,
            stack: 8 << 20,
            cpu: Duration::from_secs(10),
            wall: Duration::from_secs(30),
            output: 8 << 20,
            calls: 1_000,
        }
    }
}

/// The output of a job. It comes from a process that read untrusted bytes, so it is as untrusted as these bytes.
#[derive(Debug)]
#[non_exhaustive]
pub struct JobOutput {
    /// The value that the job's function returned.
    pub result: Value,
    /// The bytes that the job [wrote](JobContext::write).
    pub data: Vec<u8>,
}

/// Runs a job that makes no calls to its host. When the future completes or is dropped, the worker is killed.
///
/// # Errors
///
/// Fails if workers are not available, if a limit is exceeded, if the worker dies or violates the protocol, or if the
/// job fails. A call to the host fails inside the job.
pub async fn run(
    job: &WorkerJob,
    argument: Value,
    data: Vec<u8>,
    limits: JobLimits,
) -> Result<JobOutput, WorkerError> {
    run_with_calls(job, argument, data, limits, |name, _| {
        std::future::ready(Err(format!("this job has no host function `{name}`")))
    })
    .await
}

/// Runs a job whose [calls](JobContext::call) the host answers, one at a time.
///
/// The host must check each call as if an attacker had made it.
///
/// # Errors
///
/// Like [`run`]; always [`WorkerError::Unsupported`] on systems other than Linux.
#[cfg_attr(
    not(target_os = "linux"),
    expect(clippy::unused_async, reason = "it waits where there are workers")
)]
pub async fn run_with_calls<F, A>(
    job: &WorkerJob,
    argument: Value,
    data: Vec<u8>,
    limits: JobLimits,
    calls: F,
) -> Result<JobOutput, WorkerError>
where
    F: FnMut(String, Value) -> A,
    A: Future<Output = Result<Value, String>>,
{
    #[cfg(target_os = "linux")]
    let output = parent::run(job, argument, data, limits, calls).await;
    #[cfg(not(target_os = "linux"))]
    let output = {
        let _ = (job, argument, data, limits, calls);
        Err(WorkerError::Unsupported)
    };
    output
}

#[derive(Serialize, Deserialize)]
struct StartMessage {
    job: String,
    limits: JobLimits,
    argument: Value,
    /// The number of bytes that follow in data frames.
    data: usize,
}

#[derive(Serialize, Deserialize)]
enum FailureMessage {
    Confine(String),
    Job(String),
}

#[derive(Serialize, Deserialize)]
struct HostCall {
    name: String,
    arguments: Value,
}
