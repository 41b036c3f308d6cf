//! `completions SHELL`: from the same definitions as the help, every tool's flags included.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::app_context::AppContext;
use crate::{flags, output};

pub(super) fn command() -> Command {
    let shell = Arg::new("shell")
        .required(true)
        .value_parser(value_parser!(Shell));
    Command::new("completions")
        .about("Generate shell completions")
        .arg(shell)
}

pub(super) fn run(app: &AppContext, command_line: Command, matches: &ArgMatches) -> ExitCode {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return ExitCode::FAILURE;
    };
    let tools = app.tools.granted().tools();
    let mut command = command_line.mut_subcommand("call", |_| {
        Command::new("call").about("Call a tool").subcommands(
            tools
                .iter()
                .map(|tool| flags::command(tool.spec(), app.binary())),
        )
    });
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, name, &mut script);
    output::print(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
