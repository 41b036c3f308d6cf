//! The subcommands: what each takes, and which function does it.

mod call;
mod completions;
mod config;
mod doctor;
mod events;
#[cfg(feature = "mcp")]
mod mcp;
mod permissions;
mod run;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
#[cfg(feature = "skills")]
mod skills;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use futures_util::future::{BoxFuture, FutureExt as _};

use super::app::{App, AppCommand};
use super::app_context::AppContext;
use super::context::CommandContext;
use super::runtime::{LazyRuntime, RuntimeThreads};
use super::startup::{self, StartupError};
use super::{exit, log, output};

impl App {
    /// Parses the command line, runs the command, and returns the exit code: 0 for success, 1 for failure, 2 for wrong
    /// usage, 3 if a turn waits for an answer, 130 if it was interrupted.
    #[must_use]
    pub fn main(self) -> ExitCode {
        #[cfg(feature = "worker")]
        helve_host::reexec::become_helper();
        checked_exit_code(run(self, std::env::args_os().collect()))
    }

    /// Like [`main`](Self::main), but with the given command line, which starts with the name of the program.
    #[must_use]
    pub fn main_from<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> ExitCode {
        checked_exit_code(run(self, arguments.into_iter().map(Into::into).collect()))
    }
}

/// Returns a failure if standard output could not be written: a script must not treat truncated output as success.
fn checked_exit_code(code: ExitCode) -> ExitCode {
    let Some(error) = output::write_error() else {
        return code;
    };
    output::note(&format!(
        "error: failed to write to standard output: {error}"
    ));
    ExitCode::from(exit::FAILED)
}

/// The commands that use MCP servers, and so take the flags that select servers.
#[cfg(feature = "mcp")]
const MCP_COMMANDS: [&str; 5] = ["call", "chat", "resume", "run", "tools"];

/// Parses a command line and runs its command.
fn run(mut app: App, arguments: Vec<OsString>) -> ExitCode {
    let user_commands = std::mem::take(&mut app.commands);
    let mut command_line = command_line(&app, &user_commands);
    let matches = match command_line.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => return exit::clap_error(&error),
    };
    if let Err(error) = log::start(&matches) {
        return exit::wrong_usage(&error);
    }
    let root = match matches.get_one::<PathBuf>("root") {
        Some(root) => root.clone(),
        None if matches.subcommand_name() == Some("demo") => run::current_repository(),
        None => PathBuf::from("."),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::SUCCESS;
    };
    let runtime = LazyRuntime::new(runtime_threads(name));
    let app = match startup::build_context(app, &root, name, matches, &runtime) {
        Ok(app) => app,
        Err(StartupError::Assembly(error)) => return exit::failed(&error),
        Err(error) => return exit::wrong_usage(&error),
    };
    #[cfg(feature = "serve")]
    if name == "serve" {
        return block_on(&runtime, || serve::run(app, matches));
    }
    let code = match command_future(&app, name, matches) {
        Some(command) => block_on(&runtime, || run_and_close(&app, command)),
        None => run_without_runtime(&app, name, matches, command_line, &user_commands),
    };
    // The tasks of the runtime use parts of the app.
    drop(runtime);
    code
}

/// Returns which threads a command needs.
fn runtime_threads(name: &str) -> RuntimeThreads {
    match name {
        #[cfg(feature = "serve")]
        "serve" => RuntimeThreads::PerProcessor,
        _ => RuntimeThreads::Current,
    }
}

/// Returns the future of a command that waits for something.
fn command_future<'a>(
    app: &'a AppContext,
    name: &str,
    matches: &'a ArgMatches,
) -> Option<BoxFuture<'a, ExitCode>> {
    Some(match name {
        "call" => call::run(app, matches).boxed(),
        "tools" => tools::run(app, matches).boxed(),
        #[cfg(feature = "skills")]
        "skills" => skills::run(app, matches).boxed(),
        #[cfg(feature = "mcp")]
        "mcp" => mcp::run(app, matches).boxed(),
        "permissions" => permissions::run(app, matches).boxed(),
        "doctor" => doctor::run(app, matches).boxed(),
        "sessions" => sessions::run(app, matches).boxed(),
        "run" => run::run(app, matches).boxed(),
        #[cfg(feature = "chat")]
        "chat" => super::chat::run(app, matches).boxed(),
        "resume" => run::resume(app, matches).boxed(),
        "demo" => run::demo(app).boxed(),
        _ => return None,
    })
}

/// Runs a command that waits for nothing. A command of the app's own is free to build a runtime for itself.
fn run_without_runtime(
    app: &AppContext,
    name: &str,
    matches: &ArgMatches,
    command_line: Command,
    user_commands: &[AppCommand],
) -> ExitCode {
    match name {
        "config" => config::run(app, matches),
        "events" => events::run(matches),
        "completions" => completions::run(app, command_line, matches),
        _ => run_user_command(app, user_commands, name, matches),
    }
}

/// Runs a command, and closes the connections that start-up opened for it.
async fn run_and_close(app: &AppContext, command: BoxFuture<'_, ExitCode>) -> ExitCode {
    let code = command.await;
    #[cfg(feature = "mcp")]
    if let Some(servers) = &app.mcp {
        servers.close().await;
    }
    #[cfg(not(feature = "mcp"))]
    let _ = app;
    code
}

/// Waits for a command.
fn block_on<F>(runtime: &LazyRuntime, command: impl FnOnce() -> F + Send) -> ExitCode
where
    F: Future<Output = ExitCode>,
{
    match runtime.block_on(command) {
        Ok(code) => code,
        Err(error) => exit::failed(&error),
    }
}

fn command_line(app: &App, user_commands: &[AppCommand]) -> Command {
    let package = app.package;
    let root = Arg::new("root")
        .long("root")
        .global(true)
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .help("The folder that the tools may access [default: the current folder]");
    let command = Command::new(package.binary.unwrap_or(package.name))
        .version(package.version)
        .about(package.description)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(exit::HELP)
        .arg(root)
        .args(super::config::sandbox_argument())
        .args(log::arguments())
        .subcommand(run::command())
        .subcommand(run::resume_command())
        .subcommand(call::command())
        .subcommand(tools::command())
        .subcommand(permissions::command())
        .subcommand(sessions::command())
        .subcommand(config::command())
        .subcommand(doctor::command())
        .subcommand(events::command())
        .subcommand(completions::command());
    #[cfg(feature = "chat")]
    let command = command.subcommand(super::chat::command());
    #[cfg(feature = "skills")]
    let command = command.subcommand(skills::command());
    #[cfg(feature = "mcp")]
    let command = MCP_COMMANDS
        .into_iter()
        .fold(command, |command, name| {
            // An app that is built without a chat has no such command.
            match command.find_subcommand(name) {
                Some(_) => {
                    command.mut_subcommand(name, |command| command.args(super::mcp::arguments()))
                }
                None => command,
            }
        })
        .subcommand(mcp::command());
    #[cfg(feature = "serve")]
    let command = command.subcommand(serve::command());
    let command = if app.demo.is_some() {
        command.subcommand(run::demo_command())
    } else {
        command
    };
    command.subcommands(user_commands.iter().map(|user| user.command.clone()))
}

fn run_user_command(
    app: &AppContext,
    commands: &[AppCommand],
    name: &str,
    matches: &ArgMatches,
) -> ExitCode {
    let context = CommandContext {
        toolset: app.tools.granted().clone(),
        state: app.state.clone(),
    };
    let own = commands.iter().find(|user| user.command.get_name() == name);
    own.map_or(ExitCode::FAILURE, |user| (user.handler)(matches, &context))
}
