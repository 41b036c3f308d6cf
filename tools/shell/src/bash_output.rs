//! `bash_output`: returns the output of a background command.

use std::time::Duration;

use helve::prelude::*;
use helve::sandbox::Child;
use helve::tool::Interruption;
use tokio::time::Instant;

use super::bash::{MAX_OUTPUT_CHARS, before_deadline};
use super::commands::{Cursor, SessionCommands, find};
use super::follow::{FollowOptions, follow};
use super::report::report;

/// Returns what a command of `bash` has written since it was last looked at, and how it stands.
///
/// With `wait`, it waits for the command to end, no longer than so many seconds. With `offset`, it returns what was
/// written from that byte on, of the standard output and of the standard error each, however often it was read before;
/// the oldest output of a command that writes very much is no longer there.
#[tool(
    always,
    title = "Bash output",
    read_only,
    untrusted_output,
    max_result_chars = 30_000,
    requires(process),
    examples = [r#"{"id": "bash-1", "wait": 30}"#]
)]
pub async fn bash_output(
    /// The id that `bash` returned.
    #[arg(min_len = 1, example = "bash-1")]
    id: &str,
    /// How many seconds to wait for its end.
    #[arg(default = 0, max = 600)]
    wait: u64,
    /// The first byte to return; what is new without it.
    offset: Option<u64>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let process = cx.process();
    let sandbox = process.sandbox().await?;
    let id = find(&**sandbox, id).await?.id;
    let commands = SessionCommands::from_context(cx);
    let begun = Instant::now();
    let from = match offset {
        Some(offset) => Cursor([offset; 2]),
        None => commands.cursor(&**sandbox, &id),
    };
    let listener = FollowOptions {
        progress: cx.progress(),
        budget: cx.result_budget().min(MAX_OUTPUT_CHARS),
    };
    let until = before_deadline(begun + Duration::from_secs(wait), cx);
    let child = Child::attach(sandbox, &id);
    let followed = tokio::select! {
        followed = follow(&child, from, until, listener) => followed?,
        () = cx.cancellation().cancelled() => return Err(Interruption::cancelled(false).into()),
    };
    commands.remember(&**sandbox, &id, followed.cursor);
    report(&**sandbox, &followed, begun.elapsed(), "(no new output)")
}
