//! `permissions check TOOL JSON`.

use std::process::ExitCode;

use clap::ArgMatches;

use super::report;
use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::{exit, output, permissions};
use helve_core::tool::{ToolContext, ToolError};
use helve_permission::{Judgement, Policy};

/// Prints the verdict of a call. The exit code is 0 for each verdict, and 2 if the call is not a call of a granted
/// tool.
pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let word = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let (tool, arguments) = (word("tool"), word("arguments"));
    let config = match app.settings_with_notes() {
        Ok(config) => config,
        Err(error) => return exit::failed(error),
    };
    let policy = match permissions::policy(app.policy_source(), config, matches) {
        Ok(policy) => policy,
        Err(error) => return exit::failed(&error),
    };
    match judge(app, &policy, &app.tool_context(), tool, arguments).await {
        Ok(judgement) if matches.get_flag("json") => {
            output::line(&report::render_json(tool, &policy, &judgement).to_string());
            ExitCode::SUCCESS
        }
        Ok(judgement) => {
            output::print(&report::render_text(&judgement));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::note(&format!("error: {error}"));
            ExitCode::from(WRONG_USAGE)
        }
    }
}

/// Evaluates a call with the policy of the agent. The error is the text that the model would read.
pub(super) async fn judge(
    app: &AppContext,
    policy: &Policy,
    context: &ToolContext,
    tool: &str,
    arguments: &str,
) -> Result<Judgement, String> {
    let Some(tool) = app.tools.granted().get(tool) else {
        return Err(app.tools.granted().unknown(tool).to_string());
    };
    let judged = policy.judge_with_files(&*tool, context, arguments).await;
    judged.map_err(|error: ToolError| error.to_string())
}
