//! `permissions check --jsonl`.

use std::io::{BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgMatches;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{check, report};
use crate::cli::assembly::Assembly;
use crate::cli::{config, exit, output, permissions};
use crate::permission::{Mode, Policy, Rule, Rules};
use crate::tool::ToolContext;

/// The most bytes of a line.
const LONGEST: u64 = 16 << 20;

/// One call to judge.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
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
pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let config = config::load(assembly, matches);
    let policy = config.and_then(|config| permissions::policy(assembly, &config, matches));
    let policy = match policy {
        Ok(policy) => policy,
        Err(error) => return exit::failed(&error),
    };
    let context = assembly.context();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                output::note(&format!("error: standard input cannot be read: {error}"));
                return ExitCode::FAILURE;
            }
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = answer(assembly, &policy, &context, &line)
            .unwrap_or_else(|error| json!({ "line": number, "error": error }));
        output::line(&answer.to_string());
    }
    ExitCode::SUCCESS
}

fn answer(
    assembly: &Assembly,
    policy: &Policy,
    context: &ToolContext,
    line: &[u8],
) -> Result<Value, String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
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
    let arguments = line
        .arguments
        .as_ref()
        .map_or("{}", |arguments| arguments.get());
    let judgement = check::judge(assembly, &policy, &context, &line.tool, arguments)?;
    Ok(report::json(&line.tool, &policy, &judgement))
}
