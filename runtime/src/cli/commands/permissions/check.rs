//! `permissions check TOOL JSON`.

use std::process::ExitCode;

use clap::ArgMatches;

use super::super::{WRONG_USAGE, block_on};
use super::report;
use crate::cli::assembly::Assembly;
use crate::cli::{config, exit, output, permissions};
use crate::permission::{Judgement, Policy};
use crate::tool::{ToolContext, ToolError};

/// Says what a call would be answered: 0 whatever the answer is, 2 where it is no call of a granted tool.
pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let word = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let (tool, arguments) = (word("tool"), word("arguments"));
    let config = config::load(assembly, matches);
    let policy = config.and_then(|config| permissions::policy(assembly, &config, matches));
    let policy = match policy {
        Ok(policy) => policy,
        Err(error) => return exit::failed(&error),
    };
    match judge(assembly, &policy, &assembly.context(), tool, arguments) {
        Ok(judgement) if matches.get_flag("json") => {
            output::line(&report::json(tool, &policy, &judgement).to_string());
            ExitCode::SUCCESS
        }
        Ok(judgement) => {
            output::print(&report::text(&judgement));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::note(&format!("error: {error}"));
            ExitCode::from(WRONG_USAGE)
        }
    }
}

/// Judges a call as the agent would. The error is what the model would read.
pub(super) fn judge(
    assembly: &Assembly,
    policy: &Policy,
    context: &ToolContext,
    tool: &str,
    arguments: &str,
) -> Result<Judgement, String> {
    let Some(tool) = assembly.tools.granted().get(tool) else {
        return Err(assembly.tools.granted().unknown(tool).to_string());
    };
    let judged = block_on(policy.judge_with_files(&*tool, context, arguments));
    judged
        .map_err(|error| error.to_string())?
        .map_err(|error: ToolError| error.to_string())
}
