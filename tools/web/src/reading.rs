//! Has the worker read a page.

use std::time::Duration;

use helve::prelude::*;
use helve::tool::Interruption;
use helve::worker::{self, JobLimits, WorkerError};

use crate::job::{PageRequest, PageResponse, PageWindow, READ_PAGE};

/// The time limit of a page.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The limit of the time that the processor spends on a page.
const PROCESSOR_LIMIT: Duration = Duration::from_secs(8);

/// Reads a page in a worker, and returns its text.
pub(crate) async fn read(
    cx: &ToolContext,
    bytes: Vec<u8>,
    request: &PageRequest,
) -> Result<(String, PageWindow), ToolError> {
    let url = &request.url;
    let limit = request.limit;
    let argument = serde_json::to_value(request).map_err(std::io::Error::other)?;
    let limits = JobLimits {
        // Functions recurse over a document of bounded depth.
        stack: 16 << 20,
        memory: 192 << 20,
        cpu: PROCESSOR_LIMIT,
        wall: TIME_LIMIT,
        // A character has at most four bytes; places that match have lines about them.
        output: limit.saturating_mul(4).saturating_add(64 << 10),
        calls: 0,
    };
    let output = tokio::select! {
        output = worker::run(&READ_PAGE, argument, bytes, limits) => output,
        () = cx.cancellation().cancelled() => {
            return Err(ToolError::Cancelled(Interruption::cancelled(false)));
        }
    };
    let output = output.map_err(|error| worker_error(url, &error))?;
    let text = String::from_utf8_lossy(&output.data);
    match serde_json::from_value(output.result) {
        Ok(PageResponse::Read(window)) => Ok((text.into_owned(), *window)),
        Ok(PageResponse::Unreadable(why)) => Err(ToolError::failed(format!("`{url}`: {why}"))),
        Err(error) => Err(ToolError::failed(format!(
            "`{url}` cannot be read: {error}"
        ))),
    }
}

/// Converts the error of a worker.
fn worker_error(url: &str, error: &WorkerError) -> ToolError {
    /// The signal of the limit of processor time.
    const SIGXCPU: i32 = 24;
    match error {
        WorkerError::Deadline(_) | WorkerError::Killed { signal: SIGXCPU } => {
            let seconds = PROCESSOR_LIMIT.as_secs();
            ToolError::failed(format!(
                "`{url}` was fetched, and its text could not be read within {seconds} s; try format=\"raw\", or another page"
            ))
        }
        WorkerError::Killed { .. }
        | WorkerError::Exited { .. }
        | WorkerError::Protocol(_)
        | WorkerError::Job(_) => ToolError::failed(format!(
            "`{url}` was fetched, and its text cannot be read: {error}; try format=\"raw\", or another page"
        )),
        _ => ToolError::NotAvailable(format!(
            "`{url}` was fetched, and pages are read in a worker: {error}"
        )),
    }
}
