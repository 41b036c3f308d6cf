//! `bash`: a command line of the shell.

use helve::permission::shell;
use helve::prelude::*;
use helve::tool::{Checked, Coverage};

/// Runs a command line in bash and returns what it writes.
///
/// Every command of the line is judged on its own: what only reads runs without a question, the rest asks. Prefer plain
/// commands; what cannot be read off the text, such as substitutions and loops, always asks. A command that does not
/// end in time is stopped.
#[tool(
    title = "Bash",
    open_world,
    untrusted_output,
    max_result_chars = 30_000,
    requires(process),
    check = check,
    match_rule = covers,
    suggest_rules = suggest,
    examples = [r#"{"command": "git status --short"}"#]
)]
pub async fn bash(
    /// The command line, as it would be typed.
    #[arg(min_len = 1, example = "cargo test --lib")]
    command: &str,
    /// What it is for, in a few words, for the person who is asked.
    description: Option<&str>,
    /// How many seconds it may take.
    #[arg(default = 120, min = 1, max = 600)]
    timeout: u64,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let _ = (command, description, timeout, cx.process());
    Err(ToolError::NotAvailable(
        "commands cannot run: no sandbox is there to run them in".to_owned(),
    ))
}

fn check(cx: &ToolContext, command: &str, _description: Option<&str>, _timeout: &u64) -> Checked {
    shell::check(cx, command)
}

fn covers(
    _: &ToolContext,
    rule: &str,
    command: &str,
    _description: Option<&str>,
    _timeout: &u64,
) -> Coverage {
    shell::covers(rule, command)
}

fn suggest(command: &str, _description: Option<&str>, _timeout: &u64) -> Vec<String> {
    shell::suggest(command)
}
