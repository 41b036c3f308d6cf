//! `call TOOL`: calls a tool for the user, who approves the call by making it; a destructive call is asked about. Calls
//! that a rule or the check of the tool denies do not run.

mod live_output;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::runner::RunOptions;
use crate::{args, exit, flags, hooks};
use helve_core::sandbox::Exit;
use helve_core::tool::{Effects, Progress, Tool, ToolContext, ToolError, ToolOutput};
use helve_core::transcript::{CallKey, ContentBlock, Origin, ToolCall};
use helve_permission::call::{CallOutcome, CallSite, JudgedCall, Pipeline, ResultCache};
use helve_permission::{Decision, Mode, Policy, Verdict};
use helve_terminal::output;
use helve_terminal::questions::{self, Terminal};
use helve_terminal::render::render_call;
use helve_terminal::screen::Size;
use live_output::LiveOutput;

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
        .arg(args::flag("yes", "Make a destructive call without asking"))
        .arg(RunOptions::dry_run_argument())
        .args(hooks::argument())
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
    hooks::set_policy(app, &policy);
    let arguments = flags::arguments(tool.spec(), &given).await;
    let arguments = arguments.map_err(exit::stdin_failed)?;
    let live = Arc::new(LiveOutput::default());
    let context = app.tool_context().derive();
    let sink = Arc::clone(&live);
    let context = context.progress(Progress::new(move |update| sink.report(update)));
    let context = context.dry_run(matches.get_flag("dry-run")).build();
    let user_call = UserCall {
        app,
        tool: &tool,
        arguments: &arguments,
        is_confirmed: matches.get_flag("yes"),
    };
    match user_call.run(&policy, &context).await {
        Ok(CallOutcome::DryRun(text)) => output::line(&text),
        Ok(CallOutcome::Ran {
            result: Ok(result), ..
        }) => {
            print_result(&result, &live);
            return Ok(report_exit(&tool.spec().name, &result));
        }
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
         call would do.\nA destructive call is asked about on a terminal; `--yes` before TOOL makes it without asking.\n\nThe \
         exit code is 1 if the call fails, and if the command that a tool such as `bash` runs fails; it is 2 for wrong \
         usage.\n"
    ));
    output::print(&text);
    code
}

/// A call that the user makes. It takes the same path as every call.
struct UserCall<'c> {
    app: &'c AppContext,
    tool: &'c Arc<dyn Tool>,
    arguments: &'c str,
    /// Whether the user has answered the question about a destructive call beforehand.
    is_confirmed: bool,
}

impl UserCall<'_> {
    async fn run(&self, policy: &Policy, context: &ToolContext) -> Result<CallOutcome, ToolError> {
        let (hooks, cache) = (&self.app.definition.hooks, ResultCache::new());
        let pipeline = Pipeline {
            policy,
            hooks,
            cache: &cache,
        };
        let origin = Origin::new("person", "call");
        let name = &*self.tool.spec().name;
        let call = ToolCall::new("call", name, self.arguments);
        let site = CallSite::new(origin, CallKey::new(1, 0), call);
        let mut judged = pipeline
            .judge(Arc::new(site), Arc::clone(self.tool), context)
            .await?;
        if !matches!(judged.verdict(), Verdict::Deny { .. }) {
            self.confirm(&judged).await?;
        }
        judged.apply_decision(&Decision::allow_once());
        let effects = describe_effects(&judged);
        let call = judged.permit()?;
        let folder = self.app.folder_text();
        output::note(&format!("calling `{name}` ({effects}) in {folder}"));
        Ok(pipeline.run(call, context.clone()).await)
    }

    /// Asks the user whether a destructive call may run.
    async fn confirm(&self, judged: &JudgedCall) -> Result<(), ToolError> {
        let is_destructive = judged.facts().annotations.destructive == Some(true);
        if !is_destructive || judged.is_dry_run() || self.is_confirmed {
            return Ok(());
        }
        let (name, binary) = (&self.tool.spec().name, self.app.binary());
        let facts = judged.facts();
        let effects = Effects::new(&facts.annotations, facts.risk).description;
        if !Terminal::is_attached() {
            return Err(ToolError::failed(format!(
                "`{name}` was not called: it {effects}, and no terminal is attached for the question\n\
                 help: run `{binary} call --yes {name} …` to call it without a question"
            )));
        }
        let width = Size::of_stdout().columns;
        let call = render_call("  ", name, judged.site().call.arguments.as_str());
        output::lines(&call.wrap(width));
        if questions::confirm(&format!("Call {name}, which {effects}?")).await {
            return Ok(());
        }
        Err(ToolError::failed(format!("`{name}` was not called")))
    }
}

fn describe_effects(judged: &JudgedCall) -> String {
    let facts = judged.facts();
    let effects = Effects::new(&facts.annotations, facts.risk).description;
    format!("{effects}, {} risk", facts.risk)
}

/// Prints that the command of a call failed, and returns the exit code of a call with a result.
fn report_exit(name: &str, result: &ToolOutput) -> ExitCode {
    let failed = result.exit().filter(|exit| !Exit::is_success(exit));
    let Some(exit) = failed else {
        return ExitCode::SUCCESS;
    };
    exit::with_message(exit::FAILED, format_args!("`{name}`: {exit}"))
}

/// Prints the part of a result that was not shown while it arrived. The notes go to standard error.
fn print_result(result: &ToolOutput, live: &LiveOutput) {
    let mut blocks = result.content();
    if !result.notes().is_empty() {
        blocks.pop();
    }
    for block in &blocks {
        match block {
            ContentBlock::Image { mime_type, data } | ContentBlock::Audio { mime_type, data } => {
                let length = data.len();
                output::line(&format!("[{mime_type}, {length} characters of base64]"));
            }
            ContentBlock::ResourceLink { uri, name, .. } => {
                output::line(&format!("[{name}: {uri}]"));
            }
            block => {
                let text = live.unseen(result, block.as_text().unwrap_or_default());
                output::print(text);
                if !text.is_empty() && !text.ends_with('\n') {
                    output::line("");
                }
            }
        }
    }
    for artifact in result.artifacts() {
        let (name, uri) = (&artifact.name, &artifact.uri);
        output::line(&format!("[{name} ({}): {uri}]", artifact.mime_type));
    }
    for note in result.notes() {
        output::note(note);
    }
}
