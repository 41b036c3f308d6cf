//! Extracts the text of a PDF document in a worker process, because a document may be made to crash the parser.

use std::ops::RangeInclusive;
use std::time::Duration;

use helve::prelude::*;
use helve::tool::Interruption;
use helve::worker::{self, JobLimits, WorkerError};
use helve_pdf::{ExtractError, ExtractedPages, PageSelection};

use super::MAX_PAGES;
use super::job::{EXTRACT, ExtractResponse};

/// The time limit of a document.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn extract(
    cx: &ToolContext,
    path: &str,
    bytes: Vec<u8>,
    wanted: Option<RangeInclusive<u32>>,
    budget: usize,
) -> Result<ToolOutput, ToolError> {
    let DocumentPages { text, pages } = extract_pages(cx, path, bytes, wanted, budget).await?;
    Ok(render_pages(text, pages, path))
}

/// The text of pages, and which pages it is of.
pub(crate) struct DocumentPages {
    pub(crate) text: String,
    pub(crate) pages: ExtractedPages,
}

/// Extracts the text of pages, with at most `budget` characters.
pub(crate) async fn extract_pages(
    cx: &ToolContext,
    path: &str,
    bytes: Vec<u8>,
    wanted: Option<RangeInclusive<u32>>,
    budget: usize,
) -> Result<DocumentPages, ToolError> {
    let wanted = PageSelection {
        pages: wanted.map(RangeInclusive::into_inner),
        max_pages: MAX_PAGES,
        budget,
    };
    let wanted = serde_json::to_value(wanted).map_err(std::io::Error::other)?;
    let limits = JobLimits {
        // Nested objects of a document are parsed recursively.
        stack: 32 << 20,
        memory: 176 << 20,
        cpu: PATIENCE,
        wall: PATIENCE,
        // A character has at most four bytes.
        output: budget.saturating_mul(4),
        calls: 0,
    };
    let output = tokio::select! {
        output = worker::run(&EXTRACT, wanted, bytes, limits) => output,
        () = cx.cancellation().cancelled() => {
            return Err(ToolError::Cancelled(Interruption::cancelled(false)));
        }
    };
    let output = output.map_err(|error| worker_error(path, &error))?;
    let text = String::from_utf8_lossy(&output.data);
    // The output of a compromised worker is not trusted.
    let text: String = text.chars().take(budget).collect();
    match serde_json::from_value(output.result) {
        Ok(ExtractResponse::Read(pages)) => Ok(DocumentPages { text, pages }),
        Ok(ExtractResponse::Unreadable(why)) => Err(unreadable(path, why)),
        Err(error) => Err(unreadable(path, ExtractError::Broken(error.to_string()))),
    }
}

/// Converts the error of a worker.
fn worker_error(path: &str, error: &WorkerError) -> ToolError {
    /// The signal of the CPU time limit.
    const SIGXCPU: i32 = 24;
    match error {
        WorkerError::Deadline(_) | WorkerError::Killed { signal: SIGXCPU } => {
            let seconds = PATIENCE.as_secs();
            ToolError::failed(format!(
                "`{path}` was not read within {seconds} s; ask for fewer pages, or use a command that reads PDF documents"
            ))
        }
        WorkerError::Killed { .. }
        | WorkerError::Exited { .. }
        | WorkerError::Protocol(_)
        | WorkerError::Job(_) => unreadable(path, ExtractError::Broken(error.to_string())),
        _ => ToolError::NotAvailable(format!(
            "`{path}` is a PDF document, and those are read in a worker: {error}"
        )),
    }
}

fn render_pages(text: String, pages: ExtractedPages, path: &str) -> ToolOutput {
    let ExtractedPages {
        last,
        total,
        first,
        mut broken,
        cut,
    } = pages;
    let last = last.unwrap_or(first);
    broken.truncate(MAX_PAGES as usize);
    let mut output = ToolOutput::plain(text);
    if cut {
        output = output.with_note("[the text is truncated; request fewer pages]");
    }
    if last < total {
        let (next, end) = (
            last.saturating_add(1),
            total.min(last.saturating_add(MAX_PAGES)),
        );
        output = output.with_note(format!(
            "[pages {first} to {last} of {total}; go on with pages=\"{next}-{end}\"]"
        ));
    } else if first > 1 {
        output = output.with_note(format!("[pages {first} to {last} of {total}]"));
    }
    if !broken.is_empty() {
        let broken: Vec<String> = broken.iter().map(u32::to_string).collect();
        output = output.with_note(format!(
            "[not fully readable in `{path}`: page {}]",
            broken.join(", ")
        ));
    }
    output
}

fn unreadable(path: &str, why: ExtractError) -> ToolError {
    ToolError::failed(match why {
        ExtractError::Encrypted => format!(
            "`{path}` is a PDF document that is encrypted with a password; ask the user for a copy without one"
        ),
        ExtractError::Broken(why) => {
            format!("`{path}` is a PDF document that cannot be read: {why}")
        }
        ExtractError::TooMany(named) => format!(
            "`pages` names {named} pages, and at most {MAX_PAGES} are read at once; read the rest with another call"
        ),
        ExtractError::NoSuchPage(total) => {
            format!("`{path}` has {total} pages; give `pages` from 1 to {total}")
        }
    })
}
