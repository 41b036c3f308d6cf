//! `call TOOL`: a person calls a tool. Nobody else is asked; what a rule or the tool's own check denies does not run.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::runner::RunOptions;
use crate::{exit, permissions};
use crate::{flags, output};
use helve_core::support::text::first_bytes;
use helve_core::tool::{
    Effects, Facts, Progress, ProgressSink, ProgressUpdate, Tool, ToolContext, ToolError,
    ToolOutput,
};
use helve_core::transcript::{CallKey, ContentBlock, Origin, ToolCall};
use helve_permission::call::{CallOutcome, CallSite, Pipeline, ResultCache};
use helve_permission::{Decision, Mode, Policy};

pub(super) fn command() -> Command {
    // The tool's name and its flags are read apart, once the tool is known; `--help` behind a name is the tool's.
    let words = Arg::new("words")
        .value_name("TOOL [FLAGS]")
        .help("The tool's name and its flags, or its arguments as one JSON object")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    Command::new("call")
        .about("Calls a tool yourself")
        .disable_help_flag(true)
        .arg(RunOptions::dry_run_argument())
        .arg(words)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let mut words = matches
        .get_many::<OsString>("words")
        .into_iter()
        .flatten()
        .cloned();
    let name = match words.next().map(|word| word.to_string_lossy().into_owned()) {
        None => return print_usage(app, ExitCode::from(WRONG_USAGE)),
        Some(help) if help == "--help" || help == "-h" => {
            return print_usage(app, ExitCode::SUCCESS);
        }
        Some(name) => name,
    };
    #[cfg(feature = "mcp")]
    crate::runner::wait_for_servers(app).await;
    let Some(tool) = app.tools.granted().get(&name) else {
        output::note(&format!("error: {}", app.tools.describe_missing(&name)));
        return ExitCode::from(WRONG_USAGE);
    };
    let command = flags::command(tool.spec(), app.binary());
    let given =
        match command.try_get_matches_from(std::iter::once(OsString::from(name)).chain(words)) {
            Ok(matches) => matches,
            Err(error) => return exit::clap_error(&error),
        };
    let policy = match call_policy(app, matches) {
        Ok(policy) => policy,
        Err(code) => return code,
    };
    match flags::arguments(tool.spec(), &given).await {
        Ok(arguments) => {
            let context = app.tool_context().derive();
            let context = context.dry_run(matches.get_flag("dry-run")).build();
            call(app, &policy, &tool, &context, &arguments).await
        }
        Err(error) => {
            output::note(&format!("error: standard input cannot be read: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Says how tools are called, and which there are.
fn print_usage(app: &AppContext, code: ExitCode) -> ExitCode {
    let binary = app.binary();
    let mut text = format!(
        "Calls a tool yourself\n\nUsage: {binary} call TOOL [FLAGS]\n       {binary} call TOOL JSON\n\nTools:\n"
    );
    for tool in app.tools.granted().tools() {
        text.push_str(&format!("  {}\n", tool.spec().name));
    }
    text.push_str(&format!(
        "\n`{binary} call TOOL --help` shows a tool's flags. `{binary} call --dry-run TOOL` changes nothing and says what the \
         call would do.\n"
    ));
    output::print(&text);
    code
}

/// Makes the policy of a person's own call: the rules that hold here, in a mode that leaves what it does not know to them.
fn call_policy(app: &AppContext, matches: &ArgMatches) -> Result<Policy, ExitCode> {
    let config = app
        .settings_with_notes()
        .map_err(|error| exit::failed(error))?;
    let policy = permissions::policy(app.policy_source(), config, matches);
    let policy = policy.map_err(|error| exit::failed(&error))?;
    Ok(policy.mode(Mode::Default))
}

/// Calls a tool for a person: it goes the way of every call, and the person who makes it is the one who would be asked.
async fn call(
    app: &AppContext,
    policy: &Policy,
    tool: &Arc<dyn Tool>,
    context: &ToolContext,
    arguments: &str,
) -> ExitCode {
    let progress = Progress::new(ProgressPrinter::default());
    let context = context.derive().progress(progress).build();
    match run_call(app, policy, tool, &context, arguments).await {
        Ok(CallOutcome::DryRun(text)) => {
            output::line(&text);
            ExitCode::SUCCESS
        }
        Ok(CallOutcome::Ran {
            result: Ok(result), ..
        }) => {
            print_result(&result);
            ExitCode::SUCCESS
        }
        Err(error)
        | Ok(CallOutcome::Ran {
            result: Err(error), ..
        }) => {
            output::note(&format!("error: {error}"));
            ExitCode::from(if matches!(error, ToolError::InvalidArguments(_)) {
                WRONG_USAGE
            } else {
                1
            })
        }
    }
}

/// How many bytes of progress are shown: the result has the output, within its budget.
const MAX_PROGRESS_BYTES: usize = 64 << 10;

/// Shows the progress of a call on standard error, as far as a person can follow it.
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
                output::note("  … no more progress is shown; the result follows");
            }
        }
    }
}

async fn run_call(
    app: &AppContext,
    policy: &Policy,
    tool: &Arc<dyn Tool>,
    context: &ToolContext,
    arguments: &str,
) -> Result<CallOutcome, ToolError> {
    let (hooks, cache) = (&app.hooks, ResultCache::new());
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
    let effect = describe_effects(judged.facts());
    let call = judged.permit()?;
    output::note(&format!(
        "calling `{}` ({effect}) in {}",
        tool.spec().name,
        app.folder_text()
    ));
    Ok(pipeline.run(call, context.clone()).await)
}

/// Says in words what a call may do.
fn describe_effects(facts: &Facts) -> String {
    let effects = Effects::new(&facts.annotations, facts.risk);
    format!("{}, {} risk", effects.description, facts.risk)
}

fn print_result(result: &ToolOutput) {
    for block in result.content() {
        match &block {
            ContentBlock::Image { mime_type, data } | ContentBlock::Audio { mime_type, data } => {
                output::line(&format!(
                    "[{mime_type}, {} characters of base64]",
                    data.len()
                ));
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
        output::line(&format!(
            "[{} ({}): {}]",
            artifact.name, artifact.mime_type, artifact.uri
        ));
    }
}
