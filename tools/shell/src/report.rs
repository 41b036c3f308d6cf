//! The result of a command for the model.

use std::time::Duration;

use helve::prelude::*;
use helve::sandbox::{Exit, Layer, Sandbox};
use serde::Serialize;

use super::follow::FollowOutcome;

/// The structured result.
#[derive(Serialize)]
struct CommandResult<'r> {
    /// The id by which the command can be followed and ended.
    id: &'r str,
    /// The exit; null while the command runs.
    exit: Option<&'r Exit>,
    /// Whether the text is truncated.
    truncated: bool,
    /// The duration of the call, in seconds.
    duration: f64,
    /// The number of bytes that the command has written to standard output so far.
    stdout: u64,
    /// The number of bytes that the command has written to standard error so far.
    stderr: u64,
    /// The layers of the sandbox that are not enforced.
    not_enforced: Vec<Layer>,
    /// The actions of the sandbox because of the command.
    notes: &'r [String],
}

/// Returns the report of a command: its output, its status, and the layers that its sandbox does not enforce.
pub(super) fn report(
    sandbox: &dyn Sandbox,
    followed: &FollowOutcome,
    took: Duration,
    nothing: &str,
) -> Result<ToolOutput, ToolError> {
    if let Some(Exit::SandboxFailed(why)) = followed.exit() {
        return Err(ToolError::failed(format!(
            "the sandbox could not run the command: {why}"
        )));
    }
    let missing = sandbox.enforcement().missing();
    let structured = CommandResult {
        id: followed.status.id.as_str(),
        exit: followed.exit(),
        truncated: followed.is_truncated,
        duration: (took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        stdout: followed.status.stdout,
        stderr: followed.status.stderr,
        not_enforced: missing,
        notes: &followed.status.notes,
    };
    let text = match &*followed.text {
        "" => nothing.to_owned(),
        text => text.to_owned(),
    };
    let mut output = ToolOutput::plain(text)
        .with_structured(&structured)?
        .with_note(standing(followed, took));
    if let Some(exit) = followed.exit() {
        output = output.with_exit(exit.clone());
    }
    if followed.is_truncated {
        output = output.with_note(format!(
            "[output truncated in the middle: bash_output(id: \"{}\", offset: N) reads from byte N on]",
            followed.status.id
        ));
    }
    for note in &followed.status.notes {
        output = output.with_note(format!("[{note}]"));
    }
    Ok(match render_not_enforced(sandbox) {
        Some(note) => output.with_note(note),
        None => output,
    })
}

/// Describes the state of a command.
fn standing(followed: &FollowOutcome, took: Duration) -> String {
    let (id, took) = (&followed.status.id, took.as_secs_f64());
    match followed.exit() {
        Some(exit) => format!("[{exit}, after {took:.1} s]"),
        None => format!(
            "[still running in the background as `{id}` after {took:.1} s: use bash_output to read its output, bash_kill \
             ends it]"
        ),
    }
}

/// Describes the layers that are not enforced; returns `None` if there are none.
pub(super) fn render_not_enforced(sandbox: &dyn Sandbox) -> Option<String> {
    let missing = sandbox.enforcement().missing();
    if missing.is_empty() {
        return None;
    }
    let names: Vec<&str> = missing.iter().map(|layer| layer.name()).collect();
    let mechanism = &sandbox.enforcement().mechanism;
    Some(format!(
        "[the sandbox ({mechanism}) does not fully enforce: {}]",
        names.join(", ")
    ))
}
