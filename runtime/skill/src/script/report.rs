//! The report of a script's run for a model.

use std::time::Duration;

use serde::Serialize;

use helve_core::capability::Output;
use helve_core::sandbox::{Exit, Layer, Sandbox};
use helve_core::support::text;
use helve_core::tool::{ToolError, ToolOutput};

/// The greatest length of the returned output in characters, as for a shell.
const MAX_REPORT_CHARS: usize = 30_000;

/// The number of characters that are reserved for notes about truncation.
const NOTES_RESERVE: usize = 200;

/// The structured content of a result.
#[derive(Serialize)]
struct StructuredReport<'r> {
    /// The exit of the script.
    exit: &'r Exit,
    /// Whether the text is truncated.
    truncated: bool,
    /// The duration in seconds.
    duration: f64,
    /// The layers of the sandbox that are not enforced.
    not_enforced: Vec<Layer>,
}

/// Returns the report of a script: its output, its exit, and the layers that its sandbox does not
/// enforce.
pub(super) fn report(
    sandbox: &dyn Sandbox,
    output: &Output,
    took: Duration,
    budget: usize,
) -> Result<ToolOutput, ToolError> {
    if let Exit::SandboxFailed(why) = &output.exit {
        return Err(ToolError::failed(format!(
            "the sandbox could not run the script: {why}"
        )));
    }
    let most = budget.min(MAX_REPORT_CHARS).saturating_sub(NOTES_RESERVE);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Errors are written to standard error: it gets as much as it needs, up to a half.
    let errors = stderr.chars().count().min(most / 2);
    let out = text::truncate_middle(&stdout, most - errors);
    let err = text::truncate_middle(&stderr, errors);
    let truncated = output.truncated || out != stdout || err != stderr;
    let text = match (&*out, &*err) {
        ("", "") => "(no output)".to_owned(),
        (out, "") => out.to_owned(),
        ("", err) => format!("[standard error]\n{err}"),
        (out, err) => format!("{}\n[standard error]\n{err}", out.trim_end_matches('\n')),
    };
    let missing = sandbox.enforcement().missing();
    let names: Vec<&str> = missing.iter().map(|layer| layer.name()).collect();
    let structured = StructuredReport {
        exit: &output.exit,
        truncated,
        duration: (took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        not_enforced: missing.clone(),
    };
    let ended = format!("[{}, after {:.1} s]", output.exit, took.as_secs_f64());
    let told = ToolOutput::plain(text).with_structured(&structured)?;
    let mut told = told.with_note(ended).with_exit(output.exit.clone());
    if output.truncated {
        told = told.with_note("[output truncated: only the beginning is shown]");
    }
    if !names.is_empty() {
        let (mechanism, names) = (&sandbox.enforcement().mechanism, names.join(", "));
        let note = format!("[the sandbox ({mechanism}) does not fully enforce: {names}]");
        told = told.with_note(note);
    }
    Ok(told)
}
