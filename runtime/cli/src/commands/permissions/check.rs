//! `permissions check TOOL JSON`.

use std::process::ExitCode;

use clap::ArgMatches;

use super::report;
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{args, output};
use helve_core::tool::{ToolContext, ToolError};
use helve_permission::{Judgement, Policy};

/// Prints the verdict of a call. The exit code is 0 for each verdict, and 2 if the call is not a call of a granted
/// tool.
pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let (tool, arguments) = (
        args::text(matches, "tool"),
        args::text(matches, "arguments"),
    );
    let config = app.settings_with_notes().or_failed()?;
    let policy = app.policy(config, matches).or_failed()?;
    let judged = judge(app, &policy, &app.tool_context(), tool, arguments).await;
    let judgement = judged.map_err(|error| exit::with_message(exit::WRONG_USAGE, error))?;
    if matches.get_flag("json") {
        output::line(&report::render_json(tool, &policy, &judgement).to_string());
    } else {
        output::print(&report::render_text(&judgement));
    }
    Ok(ExitCode::SUCCESS)
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
