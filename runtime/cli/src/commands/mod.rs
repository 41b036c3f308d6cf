//! The subcommands: what each takes, and which function does it.

#[cfg(feature = "agents")]
mod agents;
#[cfg(feature = "skill-install")]
mod bundles;
mod call;
mod complete;
mod completions;
mod config;
#[cfg(feature = "schedule")]
mod daemon;
mod doctor;
mod events;
#[cfg(feature = "hooks")]
mod hooks;
mod init;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "models")]
mod login;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "memory")]
mod memory;
mod missing;
#[cfg(feature = "models")]
mod models;
#[cfg(any(feature = "agents", feature = "skills"))]
mod new_definition;
mod permissions;
mod run;
#[cfg(feature = "schedule")]
mod schedule;
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

use super::app::{App, AppCommand, AppDefinition};
use super::app_context::AppContext;
use super::context::CommandContext;
use super::exit::{CommandResult, OrExit as _};
use super::runtime::LazyRuntime;
use super::startup::{self, StartupError};
use super::{args, exit, log};
use helve_terminal::output;

impl App {
    /// Parses the command line, runs the command, and returns the exit code: 0 for success, 1 for failure, 2 for wrong
    /// usage, 3 if a turn waits for an answer, 130 if it was interrupted.
    #[must_use]
    pub fn main(self) -> ExitCode {
        #[cfg(feature = "worker")]
        helve_host::reexec::become_helper();
        self.main_from(std::env::args_os())
    }

    /// Like [`main`](Self::main), but with the given command line, which starts with the name of the program.
    #[must_use]
    pub fn main_from<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> ExitCode {
        let (Ok(code) | Err(code)) = run(self, arguments.into_iter().map(Into::into).collect());
        checked_exit_code(code)
    }
}

/// Returns a failure if standard output could not be written: a script must not treat truncated output as success.
fn checked_exit_code(code: ExitCode) -> ExitCode {
    let Some(error) = output::write_error() else {
        return code;
    };
    exit::with_message(
        exit::FAILED,
        format_args!("failed to write to standard output: {error}"),
    )
}

/// The commands that use MCP servers, and so take the flags that select servers.
#[cfg(feature = "mcp")]
const MCP_COMMANDS: [&str; 5] = ["call", "chat", "resume", "run", "tools"];

/// Parses a command line and runs its command.
fn run(app: App, arguments: Vec<OsString>) -> CommandResult {
    let App {
        definition,
        commands: user_commands,
    } = app;
    check_names(&user_commands)?;
    let mut command_line = command_line(&definition, &user_commands);
    let matches = command_line
        .try_get_matches_from_mut(arguments)
        .map_err(|error| exit::clap_error(&error))?;
    log::start(&matches).or_wrong_usage()?;
    let root = matches.get_one::<PathBuf>("root").cloned();
    let Some((own_name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut own = user_commands.iter().map(|user| user.command.get_name());
    let is_own = own.any(|name| name == own_name);
    // The name of a built-in command that is replaced means nothing to the start-up.
    let name = if is_own { "" } else { own_name };
    missing::refuse(name)?;
    let root = root.unwrap_or_else(|| match name {
        "demo" => run::current_repository(),
        _ => PathBuf::from("."),
    });
    let runtime = LazyRuntime::new(cfg!(feature = "serve") && name == "serve");
    let app = startup::build_context(definition, &root, name, matches, &runtime);
    let app = app.map_err(|error| match error {
        StartupError::Assembly(error) => exit::failed(&error),
        error => exit::wrong_usage(&error),
    })?;
    if is_own {
        return Ok(run_user_command(&app, &user_commands, own_name, matches));
    }
    #[cfg(feature = "serve")]
    if name == "serve" {
        let served = runtime.block_on(|| serve::run(app, matches));
        return served.or_failed().flatten();
    }
    let done = match command_future(&app, name, matches, &command_line) {
        Some(command) => {
            let done = runtime.block_on(|| run_and_close(&app, command));
            done.or_failed().flatten()
        }
        None => run_without_runtime(&app, name, matches, command_line),
    };
    // The tasks of the runtime use parts of the app.
    drop(runtime);
    done
}

/// Returns the future of a command that waits for something.
fn command_future<'a>(
    app: &'a AppContext,
    name: &str,
    matches: &'a ArgMatches,
    command_line: &Command,
) -> Option<BoxFuture<'a, CommandResult>> {
    Some(match name {
        "call" => call::run(app, matches).boxed(),
        "tools" => tools::run(app, matches).boxed(),
        #[cfg(feature = "skills")]
        "skills" => skills::run(app, matches).boxed(),
        #[cfg(feature = "skill-install")]
        "bundles" => bundles::run(app, matches).boxed(),
        #[cfg(feature = "hooks")]
        "hooks" => hooks::run(app, matches).boxed(),
        #[cfg(feature = "mcp")]
        "mcp" => mcp::run(app, matches).boxed(),
        "permissions" => permissions::run(app, matches).boxed(),
        "doctor" => doctor::run(app, matches).boxed(),
        "init" => init::run(app, matches).boxed(),
        #[cfg(feature = "models")]
        "login" => login::login(app, matches).boxed(),
        #[cfg(feature = "models")]
        "models" => models::run(app, matches).boxed(),
        "complete" => complete::run(app, command_line.clone(), matches).boxed(),
        #[cfg(feature = "jobs")]
        "jobs" => jobs::run(app, matches).boxed(),
        #[cfg(feature = "schedule")]
        "schedule" => schedule::run(app, matches).boxed(),
        #[cfg(feature = "schedule")]
        "daemon" => daemon::run(app, matches).boxed(),
        #[cfg(feature = "memory")]
        "memory" => memory::run(app, matches).boxed(),
        "sessions" => sessions::run(app, matches).boxed(),
        "run" => run::run(app, matches).boxed(),
        #[cfg(feature = "chat")]
        "chat" => super::chat::run(app, matches).boxed(),
        "resume" => run::resume(app, matches).boxed(),
        "demo" => run::demo(app).boxed(),
        _ => return None,
    })
}

/// Runs a command that waits for nothing.
fn run_without_runtime(
    app: &AppContext,
    name: &str,
    matches: &ArgMatches,
    command_line: Command,
) -> CommandResult {
    match name {
        #[cfg(feature = "agents")]
        "agents" => agents::run(app, matches),
        "config" => config::run(app, matches),
        "events" => Ok(events::run(matches)),
        #[cfg(feature = "models")]
        "logout" => login::logout(matches),
        "completions" => Ok(completions::run(app, command_line, matches)),
        _ => Ok(ExitCode::FAILURE),
    }
}

/// Runs a command, and closes the connections that start-up opened for it.
async fn run_and_close(app: &AppContext, command: BoxFuture<'_, CommandResult>) -> CommandResult {
    let done = command.await;
    #[cfg(feature = "mcp")]
    if let Some(servers) = &app.mcp {
        servers.close().await;
    }
    #[cfg(not(feature = "mcp"))]
    let _ = app;
    done
}

/// Makes the command line. A command of the app replaces a built-in one of the same name.
fn command_line(app: &AppDefinition, user_commands: &[AppCommand]) -> Command {
    let package = app.package;
    let is_replaced = |command: &Command| {
        let mut own = user_commands.iter().map(|user| user.command.get_name());
        own.any(|name| name == command.get_name())
    };
    let mut commands = builtin_commands(app);
    commands.retain(|command| !is_replaced(command));
    let command_line = Command::new(package.command_name())
        .version(package.version)
        .about(package.description)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(exit::HELP)
        .args(global_arguments())
        .subcommands(commands)
        .subcommands(user_commands.iter().map(|user| user.command.clone()));
    missing::add_to(command_line)
}

fn builtin_commands(app: &AppDefinition) -> Vec<Command> {
    let mut commands = vec![
        run::command(),
        run::resume_command(),
        call::command(),
        tools::command(),
        permissions::command(),
        sessions::command(),
        init::command(),
        config::command(),
        doctor::command(),
        events::command(),
        completions::command(),
        complete::command(),
    ];
    #[cfg(feature = "models")]
    commands.extend([models::command(), login::command(), login::logout_command()]);
    #[cfg(feature = "chat")]
    commands.push(super::chat::command());
    #[cfg(feature = "agents")]
    commands.push(agents::command());
    #[cfg(feature = "hooks")]
    commands.push(hooks::command());
    #[cfg(feature = "jobs")]
    commands.push(jobs::command());
    #[cfg(feature = "schedule")]
    commands.extend([schedule::command(), daemon::command()]);
    #[cfg(feature = "memory")]
    commands.push(memory::command());
    #[cfg(feature = "skills")]
    commands.push(skills::command());
    #[cfg(feature = "skill-install")]
    commands.push(bundles::command());
    #[cfg(feature = "mcp")]
    {
        let uses_servers = |command: &Command| MCP_COMMANDS.contains(&command.get_name());
        commands = commands
            .into_iter()
            .map(|command| match uses_servers(&command) {
                true => command.args(super::mcp::arguments()),
                false => command,
            })
            .collect();
        commands.push(mcp::command());
    }
    #[cfg(feature = "serve")]
    commands.push(serve::command());
    if app.demo.is_some() {
        commands.push(run::demo_command());
    }
    commands
}

/// Checks that each command of the app has a name of its own, and not that which completion scripts call.
fn check_names(user_commands: &[AppCommand]) -> CommandResult {
    let names = user_commands.iter().map(|user| user.command.get_name());
    let mut seen = vec!["complete"];
    for name in names {
        if seen.contains(&name) {
            return Err(exit::with_message(
                exit::FAILED,
                format_args!("the app cannot add a command `{name}`: the name is taken; rename it"),
            ));
        }
        seen.push(name);
    }
    Ok(ExitCode::SUCCESS)
}

/// The flags of every command, which stand under their own heading in the help.
fn global_arguments() -> impl Iterator<Item = Arg> {
    let root = args::option(
        "root",
        "FOLDER",
        "The folder that the tools may access [default: the current folder]",
    );
    let root = root.short('C').value_parser(value_parser!(PathBuf));
    let all = std::iter::once(root)
        .chain(super::config::sandbox_argument())
        .chain(log::arguments());
    all.map(|arg| arg.global(true).help_heading("Global options"))
}

/// Runs a command of the app, which is free to build a runtime for itself.
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

#[cfg(test)]
mod tests;
