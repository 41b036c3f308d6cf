//! `call TOOL`: calls a tool for the user, without approval. Calls that a rule or the check of the tool denies do not
//! run.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::runner::RunOptions;
use crate::{exit, flags, output};
use helve_core::support::text::first_bytes;
use helve_core::tool::{
    Effects, Progress, ProgressSink, ProgressUpdate, Tool, ToolContext, ToolError, ToolOutput,
};
use helve_core::transcript::{CallKey, ContentBlock, Origin, ToolCall};
use helve_permission::call::{CallOutcome, CallSite, Pipeline, ResultCache};
use helve_permission::{Decision, Mode, Policy};

pub(super) fn command() -> Command {
    // The flags are parsed once the tool is known; `--help` after the name of a tool shows the help of the tool.
    let words = Arg::new("words")
        .value_name("TOOL [FLAGS]")
        .help("The name of the tool and its flags, or its arguments as a JSON object")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    Command::new("call")
        .about("Call a tool")
        .disable_help_flag(true)
        .arg(RunOptions::dry_run_argument())
        .arg(words)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let mut words = matches
        .get_many::<OsString>("words")
        .into_iter()
        .flatten()
        .cloned();
    let name = match words.next().map(|word| word.to_string_lossy().into_owned()) {
        None => return Err(print_usage(app, ExitCode::from(WRONG_USAGE))),
        Some(help) if help == "--help" || help == "-h" => {
            return Ok(print_usage(app, ExitCode::SUCCESS));
        }
        Some(name) => name,
    };
    #[cfg(feature = "mcp")]
    crate::runner::wait_for_servers(app).await;
    let Some(tool) = app.tools.granted().get(&name) else {
        let missing = app.tools.describe_missing(&name);
        return Err(exit::with_message(WRONG_USAGE, missing));
    };
    let command = flags::command(tool.spec(), &format!("{} call", app.binary()));
    let given = command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(words));
    let given = given.map_err(|error| exit::clap_error(&error))?;
    // Calls that need approval run in the default mode, since the user makes them.
    let config = app.settings_with_notes().or_failed()?;
    let policy = app.policy(config, matches).or_failed()?.mode(Mode::Default);
    let arguments = flags::arguments(tool.spec(), &given).await;
    let arguments = arguments.map_err(exit::stdin_failed)?;
    let progress = Progress::new(ProgressPrinter::default());
    let context = app.tool_context().derive().progress(progress);
    let context = context.dry_run(matches.get_flag("dry-run")).build();
    match call(app, &policy, &tool, &context, &arguments).await {
        Ok(CallOutcome::DryRun(text)) => output::line(&text),
        Ok(CallOutcome::Ran {
            result: Ok(result), ..
        }) => print_result(&result),
        Err(error)
        | Ok(CallOutcome::Ran {
            result: Err(error), ..
        }) => {
            let is_usage = matches!(error, ToolError::InvalidArguments(_));
            let code = if is_usage { WRONG_USAGE } else { exit::FAILED };
            return Err(exit::with_message(code, error));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the usage of `call` and the list of tools.
fn print_usage(app: &AppContext, code: ExitCode) -> ExitCode {
    let binary = app.binary();
    let mut text = format!(
        "Calls a tool yourself\n\nUsage: {binary} call TOOL [FLAGS]\n       {binary} call TOOL JSON\n\nTools:\n"
    );
    for tool in app.tools.granted().tools() {
        text.push_str(&format!("  {}\n", tool.spec().name));
    }
    text.push_str(&format!(
        "\nRun `{binary} call TOOL --help` for the flags of a tool, and `{binary} call --dry-run TOOL` to see what a \
         call would do.\n"
    ));
    output::print(&text);
    code
}

/// The maximum number of bytes of progress that are shown. The result contains the output, within its budget.
const MAX_PROGRESS_BYTES: usize = 64 << 10;

/// Prints the progress of a call to standard error, up to a number of bytes.
#[derive(Default)]
struct ProgressPrinter {
    bytes: AtomicUsize,
}

impl ProgressSink for ProgressPrinter {
    fn report(&self, update: ProgressUpdate) {
        for words in [Some(update.text), update.message].into_iter().flatten() {
            if words.is_empty() {
                continue;
            }
            let before = self.bytes.fetch_add(words.len(), Ordering::Relaxed);
            let left = MAX_PROGRESS_BYTES.saturating_sub(before);
            if left > 0 {
                let shown = first_bytes(&words, left);
                output::note(&format!("  {}", shown.trim_end_matches('\n')));
            }
            if left > 0 && words.len() >= left {
                output::note("  … further progress is not shown");
            }
        }
    }
}

/// Calls a tool for the user. The call takes the same path as every call, without approval, since the user makes the
/// call.
async fn call(
    app: &AppContext,
    policy: &Policy,
    tool: &Arc<dyn Tool>,
    context: &ToolContext,
    arguments: &str,
) -> Result<CallOutcome, ToolError> {
    let (hooks, cache) = (&app.definition.hooks, ResultCache::new());
    let pipeline = Pipeline {
        policy,
        hooks,
        cache: &cache,
    };
    let origin = Origin::new("person", "call");
    let key = CallKey::new(1, 0);
    let call = ToolCall::new("call", &*tool.spec().name, arguments);
    let site = CallSite::new(origin, key, call);
    let mut judged = pipeline
        .judge(Arc::new(site), Arc::clone(tool), context)
        .await?;
    judged.apply_decision(&Decision::allow_once());
    let facts = judged.facts();
    let effects = Effects::new(&facts.annotations, facts.risk).description;
    let effects = format!("{effects}, {} risk", facts.risk);
    let call = judged.permit()?;
    let (tool, folder) = (&tool.spec().name, app.folder_text());
    output::note(&format!("calling `{tool}` ({effects}) in {folder}"));
    Ok(pipeline.run(call, context.clone()).await)
}

fn print_result(result: &ToolOutput) {
    for block in result.content() {
        match &block {
            ContentBlock::Image { mime_type, data } | ContentBlock::Audio { mime_type, data } => {
                let length = data.len();
                output::line(&format!("[{mime_type}, {length} characters of base64]"));
            }
            ContentBlock::ResourceLink { uri, name, .. } => {
                output::line(&format!("[{name}: {uri}]"));
            }
            block => {
                let text = block.as_text().unwrap_or_default();
                output::print(text);
                if !text.ends_with('\n') {
                    output::line("");
                }
            }
        }
    }
    for artifact in result.artifacts() {
        let (name, uri) = (&artifact.name, &artifact.uri);
        output::line(&format!("[{name} ({}): {uri}]", artifact.mime_type));
    }
}
