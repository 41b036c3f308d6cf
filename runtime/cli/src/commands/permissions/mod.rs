//! `permissions`: what a call would be answered, the rules that were given for good, and what was accepted.

mod accepted;
mod batch;
mod check;
mod report;
mod rules;
mod trust;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
use crate::permissions;

pub(super) fn command() -> Command {
    Command::new("permissions")
        .about("Shows what an agent may do")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check_command())
        .subcommand(list_command())
        .subcommand(allow_command())
        .subcommand(remove_command())
        .subcommand(trust::command())
        .subcommand(trust::untrust_command())
        .subcommand(accepted::command())
        .subcommand(accepted::revoke_command())
}

fn json_argument() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Write JSON")
}

fn check_command() -> Command {
    let tool = Arg::new("tool")
        .value_name("TOOL")
        .required_unless_present("jsonl")
        .help("The tool");
    let arguments = Arg::new("arguments")
        .value_name("JSON")
        .required_unless_present("jsonl")
        .help("Its arguments, as a JSON object");
    let batch = Arg::new("jsonl")
        .long("jsonl")
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["tool", "arguments", "json"])
        .help(
            "Read calls from standard input, one JSON object a line, and write one answer a line",
        );
    Command::new("check")
        .about("Says whether a call would run, be asked about or be denied, and what decides; nothing runs")
        .after_help(
            "A line of --jsonl is {\"tool\": …, \"arguments\": {…}} and may have \"mode\", \"allow\", \"ask\", \
             \"deny\", \"working_folders\" and \"home\" of its own; a bad line is answered with an \"error\".",
        )
        .args(permissions::arguments())
        .arg(json_argument())
        .arg(batch)
        .arg(tool)
        .arg(arguments)
}

fn list_command() -> Command {
    Command::new("list")
        .about("Lists the rules of this project and of the user")
        .arg(json_argument())
}

fn allow_command() -> Command {
    Command::new("allow")
        .about("Adds a rule that lets calls run; what is at work reads it when it starts again")
        .arg(scope_argument("Add it to this file").default_value("project"))
        .arg(rule_argument("The rule, such as `bash(git commit:*)`"))
}

fn remove_command() -> Command {
    Command::new("remove")
        .about("Removes a rule of this project or of the user")
        .arg(scope_argument("Remove it from this file alone"))
        .arg(rule_argument("The rule, as `permissions list` writes it"))
}

fn rule_argument(help: &'static str) -> Arg {
    Arg::new("rule")
        .value_name("RULE")
        .required(true)
        .help(help)
}

fn scope_argument(help: &'static str) -> Arg {
    Arg::new("scope")
        .long("scope")
        .value_name("SCOPE")
        .value_parser(["project", "user"])
        .help(help)
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    match matches.subcommand() {
        Some(("check", matches)) if matches.get_flag("jsonl") => batch::run(app, matches).await,
        Some(("check", matches)) => check::run(app, matches).await,
        Some(("list", matches)) => rules::list(app, matches.get_flag("json")),
        Some(("allow", matches)) => rules::allow(app, matches),
        Some(("remove", matches)) => rules::remove(app, matches),
        Some(("trust", matches)) => trust::trust(app, matches).await,
        Some(("untrust", _)) => trust::untrust(app),
        Some(("accepted", matches)) => accepted::list(matches.get_flag("json")),
        Some(("revoke", matches)) => accepted::revoke(app, matches),
        _ => ExitCode::from(WRONG_USAGE),
    }
}
