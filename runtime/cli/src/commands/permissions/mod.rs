//! `permissions`: checks calls, and manages rules and acceptances.

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
        .about("Show and change what an agent may do")
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
        .help("Print JSON")
}

fn check_command() -> Command {
    let tool = Arg::new("tool")
        .value_name("TOOL")
        .required_unless_present("jsonl")
        .help("The name of the tool");
    let arguments = Arg::new("arguments")
        .value_name("JSON")
        .required_unless_present("jsonl")
        .help("The arguments as a JSON object");
    let batch = Arg::new("jsonl")
        .long("jsonl")
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["tool", "arguments", "json"])
        .help(
            "Read calls from standard input, one JSON object per line, and write one result per line",
        );
    Command::new("check")
        .about("Check whether a call would be allowed, asked about or denied, without running it")
        .after_help(
            "A line of --jsonl is {\"tool\": …, \"arguments\": {…}}, optionally with \"mode\", \"allow\", \"ask\", \
             \"deny\", \"working_folders\" and \"home\". The result of an invalid line has an \"error\".",
        )
        .args(permissions::arguments())
        .arg(json_argument())
        .arg(batch)
        .arg(tool)
        .arg(arguments)
}

fn list_command() -> Command {
    Command::new("list")
        .about("List the rules of the project and the user")
        .arg(json_argument())
}

fn allow_command() -> Command {
    Command::new("allow")
        .about("Add a rule that allows calls; running agents read it at their next start")
        .arg(scope_argument("The file to add the rule to").default_value("project"))
        .arg(rule_argument("The rule, such as `bash(git commit:*)`"))
}

fn remove_command() -> Command {
    Command::new("remove")
        .about("Remove a rule of the project or the user")
        .arg(scope_argument("Remove the rule only from this file"))
        .arg(rule_argument("The rule, as printed by `permissions list`"))
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
