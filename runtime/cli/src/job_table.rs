//! Jobs as text for the user.

use crate::session_table::minute;
use helve_agent::session::AwaitedInput;
use helve_jobs::Job;
use helve_terminal::{output, sanitize};

/// The maximum length of the title of a job, in characters.
const MAX_TITLE_CHARS: usize = 100;

/// Renders jobs as a table.
pub(crate) fn render_table(jobs: &[Job]) -> String {
    let rows: Vec<[String; 4]> = jobs.iter().map(row).collect();
    output::columns(&rows)
}

fn row(job: &Job) -> [String; 4] {
    let title = job.origin.label.as_ref().or(job.title.as_ref());
    [
        job.name.to_string(),
        job.created.map(minute).unwrap_or_default(),
        job.status.name().to_owned(),
        title
            .map(|title| sanitize::first_line(title, MAX_TITLE_CHARS))
            .unwrap_or_default(),
    ]
}

/// Renders a job with all that a user can do about it.
pub(crate) fn render_job(job: &Job, binary: &str) -> String {
    let (name, origin) = (&job.name, &job.origin);
    let mut text = format!("{name}\n");
    if let Some(title) = &job.title {
        text.push_str(&format!(
            "{}\n",
            sanitize::first_line(title, MAX_TITLE_CHARS)
        ));
    }
    text.push('\n');
    let mut row = |label: &str, value: String| text.push_str(&format!("{label:11} {value}\n"));
    row("status", job.status.name().to_owned());
    if let Some(end) = job.end {
        row("end", end.to_string());
    }
    if let Some(error) = &job.error {
        row("error", sanitize::first_line(error, MAX_TITLE_CHARS));
    }
    row(
        "started by",
        format!("{} of session {}", origin.call, origin.session),
    );
    if let Some(folder) = &job.folder {
        row("folder", folder.clone());
    }
    row("model calls", job.totals.model_calls.to_string());
    row("tool calls", job.totals.tool_calls.to_string());
    for waiting in &job.waiting {
        let (call, tool) = (&waiting.call, &waiting.tool);
        let (why, command) = match &waiting.awaited {
            AwaitedInput::Answer { reason, .. } => (
                format!(
                    "needs approval: {}",
                    sanitize::first_line(reason, MAX_TITLE_CHARS)
                ),
                format!("answer {name} {call} allow (or reject)"),
            ),
            _ => (
                "waits for an external result".to_owned(),
                format!("result {name} {call} JSON"),
            ),
        };
        text.push_str(&format!(
            "\n{call}  {tool}\n  {why}\n  {binary} sessions {command}\n"
        ));
    }
    if !job.text.is_empty() {
        text.push_str(&format!("\n{}\n", sanitize::replace_controls(&job.text)));
    }
    text
}
