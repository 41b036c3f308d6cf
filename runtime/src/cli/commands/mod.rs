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
pub(super) mod sessions;
#[cfg(feature = "skills")]
pub(super) mod skills;
mod tools;

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use tokio::runtime::Builder;

use super::app::{App, UserCommand};
use super::assembly::Assembly;
use super::context::CommandContext;
pub(super) use super::exit::WRONG_USAGE;
use super::{doors, exit, log, output};

impl App {
    /// Reads the command line, does what it says, and returns the code to exit with: 0, 1 where what was asked for
    /// failed, 2 where the question itself was wrong, 3 where a turn waits for somebody elsewhere, 130 where it was
    /// interrupted.
    #[must_use]
    pub fn main(self) -> ExitCode {
        #[cfg(feature = "worker")]
        crate::become_helper();
        judged(run(self, std::env::args_os().collect()))
    }

    /// Does what [`main`](Self::main) does, with a command line of the caller's own, the program's name first.
    #[must_use]
    pub fn main_from<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> ExitCode {
        judged(run(self, arguments.into_iter().map(Into::into).collect()))
    }
}

/// What was asked for has failed where the answer got lost: a script would take an empty file for it.
fn judged(code: ExitCode) -> ExitCode {
    let Some(error) = output::unwritten() else {
        return code;
    };
    output::note(&format!(
        "error: standard output cannot be written: {error}"
    ));
    ExitCode::from(exit::FAILED)
}

/// The commands that call tools, which may run commands of the machine.
const RUNS_TOOLS: [&str; 6] = ["call", "chat", "demo", "resume", "run", "serve"];

/// The commands that use MCP servers.
#[cfg(feature = "mcp")]
const MCP: [&str; 5] = ["call", "chat", "resume", "run", "tools"];

/// Reads a command line and does what it says.
fn run(mut app: App, arguments: Vec<OsString>) -> ExitCode {
    let user_commands = std::mem::take(&mut app.commands);
    let mut command_line = command_line(&app, &user_commands);
    let matches = match command_line.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) => return refused(&error),
    };
    if let Err(error) = log::start(&matches) {
        return exit::wrong_usage(&error);
    }
    let root = match matches.get_one::<PathBuf>("root") {
        Some(root) => root.clone(),
        None if matches.subcommand_name() == Some("demo") => run::repository(),
        None => PathBuf::from("."),
    };
    let mut assembly = match Assembly::of(app, &root) {
        Ok(assembly) => assembly,
        Err(error) => return exit::failed(&error),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return ExitCode::SUCCESS;
    };
    match open(&mut assembly, name, matches) {
        Ok(()) => dispatch(assembly, name, matches, command_line, &user_commands),
        Err(error) => exit::wrong_usage(&*error),
    }
}

/// Opens what a command uses beside the app itself, each as the settings say: filters, skills, doors and servers.
fn open(assembly: &mut Assembly, name: &str, matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let runs_tools = RUNS_TOOLS.contains(&name);
    super::filters::open(assembly, name, matches)?;
    #[cfg(feature = "skills")]
    if super::skills::are_used(assembly, name, matches)
        && let Err(error) = super::skills::open(assembly, matches)
        // Others show what there is without those of folders; the doctor says what is wrong with the settings.
        && (runs_tools || name == "skills")
    {
        return Err(error.into());
    }
    #[cfg(all(feature = "skills", debug_assertions))]
    if runs_tools {
        super::skills::warn_of_outdated(assembly);
    }
    if runs_tools {
        doors::open(assembly, matches)?;
    }
    #[cfg(feature = "mcp")]
    super::mcp::open(assembly, name, matches)?;
    Ok(())
}

/// Hands over to the function that does a command.
#[cfg_attr(
    not(feature = "serve"),
    expect(
        clippy::needless_pass_by_value,
        reason = "a server keeps the app for its sessions"
    )
)]
fn dispatch(
    assembly: Assembly,
    name: &str,
    matches: &ArgMatches,
    command_line: Command,
    user_commands: &[UserCommand],
) -> ExitCode {
    match name {
        "call" => call::run(&assembly, matches),
        "tools" => tools::run(&assembly, matches),
        #[cfg(feature = "skills")]
        "skills" => skills::run(&assembly, matches),
        #[cfg(feature = "mcp")]
        "mcp" => mcp::run(&assembly, matches),
        "permissions" => permissions::run(&assembly, matches),
        "config" => config::run(&assembly, matches),
        "doctor" => doctor::run(&assembly, matches),
        "events" => events::run(matches),
        "sessions" => sessions::run(&assembly, matches),
        "run" => run::run(&assembly, matches),
        #[cfg(feature = "chat")]
        "chat" => super::chat::run(&assembly, matches),
        "resume" => run::resume(&assembly, matches),
        "demo" => run::demo(&assembly),
        #[cfg(feature = "serve")]
        "serve" => serve::run(assembly, matches),
        "completions" => completions::run(&assembly, command_line, matches),
        _ => user(&assembly, user_commands, name, matches),
    }
}

/// Prints what clap has to say: help on standard output, a refusal on standard error.
pub(super) fn refused(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(WRONG_USAGE)
    } else {
        ExitCode::SUCCESS
    }
}

fn command_line(app: &App, user_commands: &[UserCommand]) -> Command {
    let package = app.package;
    let root = Arg::new("root")
        .long("root")
        .global(true)
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .help("The folder whose files the tools may reach [default: the current one]");
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
    let command =
        MCP.into_iter()
            .fold(command, |command, name| {
                // An app that is built without a chat has no such command.
                match command.find_subcommand(name) {
                    Some(_) => command
                        .mut_subcommand(name, |command| command.args(super::mcp::arguments())),
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

fn user(
    assembly: &Assembly,
    commands: &[UserCommand],
    name: &str,
    matches: &ArgMatches,
) -> ExitCode {
    let context = CommandContext {
        toolset: assembly.tools.granted().clone(),
        state: assembly.state.clone(),
    };
    let own = commands.iter().find(|user| user.command.get_name() == name);
    own.map_or(ExitCode::FAILURE, |user| (user.handler)(matches, &context))
}

/// How long work that nobody waits for may hold up the end.
const LEFTOVERS: Duration = Duration::from_millis(100);

/// Runs a future to its end, wherever the app was started: inside a runtime, on a thread of its own.
pub(super) fn block_on<F: Future + Send>(future: F) -> std::io::Result<F::Output>
where
    F::Output: Send,
{
    block_on_runtime(Builder::new_current_thread(), || future)
}

/// Does what [`block_on`] does with a future that is made there, and with as many threads as the machine has.
#[cfg(feature = "serve")]
fn block_on_threads<F: Future>(make: impl FnOnce() -> F + Send) -> std::io::Result<F::Output>
where
    F::Output: Send,
{
    block_on_runtime(Builder::new_multi_thread(), make)
}

fn block_on_runtime<F: Future>(
    mut builder: Builder,
    make: impl FnOnce() -> F + Send,
) -> std::io::Result<F::Output>
where
    F::Output: Send,
{
    let run = move || {
        let runtime = builder.enable_all().build()?;
        let output = runtime.block_on(make());
        // A blocking tool that was stopped may go on for long, and nobody waits for it any more.
        runtime.shutdown_timeout(LEFTOVERS);
        Ok(output)
    };
    if tokio::runtime::Handle::try_current().is_err() {
        return run();
    }
    std::thread::scope(|scope| match scope.spawn(run).join() {
        Ok(output) => output,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
