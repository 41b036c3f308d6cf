//! `bash_kill`: ends a background command.

use helve::prelude::*;
use helve::sandbox::{Child, Exit, Termination};
use serde::Serialize;

use super::commands::find;

/// The structured result.
#[derive(Serialize)]
struct KillResult<'r> {
    id: &'r str,
    exit: Option<&'r Exit>,
    /// Whether the command had ended before.
    had_ended: bool,
    /// Whether the command had to be killed.
    killed: bool,
}

/// Ends a command of `bash`, with all that it started.
///
/// It is asked to end first (SIGTERM), and killed if it has not after two seconds. Says how it ended.
#[tool(
    always,
    title = "Bash kill",
    risk = "low",
    idempotent,
    requires(process),
    examples = [r#"{"id": "bash-1"}"#]
)]
pub async fn bash_kill(
    /// The id that `bash` returned.
    #[arg(min_len = 1, example = "bash-1")]
    id: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let process = cx.process();
    let sandbox = process.sandbox().await?;
    let id = find(&**sandbox, id).await?.id;
    if cx.is_dry_run() {
        return Ok(ToolOutput::plain(format!(
            "dry run, nothing is ended: would end `{id}`"
        )));
    }
    let (ended, status) = Child::attach(sandbox, &id).terminate().await?;
    let exit = match &status.exit {
        Some(exit) => exit.to_string(),
        None => {
            return Err(ToolError::failed(format!(
                "`{id}` was killed, but it has not ended yet; look at it with bash_output"
            )));
        }
    };
    let text = match ended {
        Termination::AlreadyEnded => format!("`{id}` had ended already: {exit}"),
        Termination::Terminated => format!("`{id}` ended when it was asked to: {exit}"),
        _ => format!("`{id}` did not end when it was asked to, and was killed: {exit}"),
    };
    ToolOutput::plain(text).with_structured(&KillResult {
        id: id.as_str(),
        exit: status.exit.as_ref(),
        had_ended: ended == Termination::AlreadyEnded,
        killed: ended == Termination::Killed,
    })
}
