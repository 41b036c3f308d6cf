//! `permissions check --jsonl`.

use std::io::{BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgMatches;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{check, report};
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use helve_core::tool::ToolContext;
use helve_permission::{Mode, Policy, Rule, Rules};
use helve_terminal::output;

const MAX_LINE_BYTES: u64 = 16 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    tool: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
    mode: Option<Mode>,
    #[serde(default)]
    allow: Vec<Rule>,
    #[serde(default)]
    ask: Vec<Rule>,
    #[serde(default)]
    deny: Vec<Rule>,
    working_folders: Option<Vec<PathBuf>>,
    home: Option<PathBuf>,
}

/// Answers line by line; 0 where the input could be read to its end.
pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings_with_notes().or_failed()?;
    let policy = app.policy(config, matches).or_failed()?;
    let context = app.tool_context();
    for number in 1_u64.. {
        let line = read_line().map_err(exit::stdin_failed)?;
        if line.is_empty() {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = judge_line(app, &policy, &context, &line).await;
        let answer = answer.unwrap_or_else(|error| json!({ "line": number, "error": error }));
        output::line(&answer.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a line of standard input with its end; at the end of the input, an empty one.
fn read_line() -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut input = std::io::stdin().lock().take(MAX_LINE_BYTES);
    input.read_until(b'\n', &mut line)?;
    Ok(line)
}

async fn judge_line(
    app: &AppContext,
    policy: &Policy,
    context: &ToolContext,
    line: &[u8],
) -> Result<Value, String> {
    let line: CallLine = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let mut policy = policy.clone().rules(Rules {
        allow: line.allow,
        ask: line.ask,
        deny: line.deny,
    });
    if let Some(mode) = line.mode {
        policy = policy.mode(mode);
    }
    if let Some(folders) = line.working_folders {
        policy = policy.working_folders(folders);
    }
    let context = match line.home {
        None => context.clone(),
        Some(home) => context.derive().home(home).build(),
    };
    let arguments = line.arguments.as_ref();
    let arguments = arguments.map_or("{}", |arguments| arguments.get());
    let judgement = check::judge(app, &policy, &context, &line.tool, arguments).await?;
    Ok(report::render_json(&line.tool, &policy, &judgement))
}
