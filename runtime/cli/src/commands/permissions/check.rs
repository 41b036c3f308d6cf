//! `permissions check TOOL`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;

use super::report;
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::flags;
use helve_core::tool::{ToolContext, ToolError};
use helve_permission::{Judgement, Policy};
use helve_terminal::output;

/// Prints the verdict of a call. The exit code is 0 for each verdict, and 2 if the call is not a call of a granted
/// tool.
pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let mut words = matches.get_many::<OsString>("words").into_iter().flatten();
    let name = words.next().map(|word| word.to_string_lossy());
    let name = name.unwrap_or_default();
    let Some(tool) = app.tools.granted().get(&name) else {
        let missing = app.tools.describe_missing(&name);
        return Err(exit::with_message(exit::WRONG_USAGE, missing));
    };
    let caller = format!("{} permissions check", app.binary());
    let command = flags::command(tool.spec(), &caller);
    let words = std::iter::once(OsString::from(&*name)).chain(words.cloned());
    let given = command.try_get_matches_from(words);
    let given = given.map_err(|error| exit::clap_error(&error))?;
    let arguments = flags::arguments(tool.spec(), &given).await;
    let arguments = arguments.map_err(exit::stdin_failed)?;
    let config = app.settings_with_notes().or_failed()?;
    let policy = app.policy(config, matches).or_failed()?;
    let judged = judge(app, &policy, &app.tool_context(), &name, &arguments).await;
    let judgement = judged.map_err(|error| exit::with_message(exit::WRONG_USAGE, error))?;
    if matches.get_flag("json") {
        output::line(&report::render_json(&name, &policy, &judgement).to_string());
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
