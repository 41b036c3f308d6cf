//! `permissions`: checks calls, and manages rules and acceptances.

mod accepted;
mod batch;
mod check;
mod report;
mod rules;
mod trust;

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use crate::app_context::AppContext;
use crate::exit::{CommandResult, WRONG_USAGE};
use crate::{args, permissions};

pub(super) fn command() -> Command {
    let list = Command::new("list").about("List the rules of the project and the user");
    let untrust = Command::new("untrust").about("Revoke the acceptance of this project");
    Command::new("permissions")
        .about("Show and change what an agent may do")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check_command())
        .subcommand(list.arg(args::json()))
        .subcommand(allow_command())
        .subcommand(remove_command())
        .subcommand(trust::command())
        .subcommand(untrust)
        .subcommand(accepted::command())
        .subcommand(accepted::revoke_command())
}

fn check_command() -> Command {
    let tool = args::positional("tool", "TOOL", "The name of the tool");
    let arguments = args::positional("arguments", "JSON", "The arguments as a JSON object");
    let batch = args::flag(
        "jsonl",
        "Read calls from standard input, one JSON object per line, and write one result per line",
    );
    Command::new("check")
        .about("Check whether a call would be allowed, asked about or denied, without running it")
        .after_help(
            "A line of --jsonl is {\"tool\": …, \"arguments\": {…}}, optionally with \"mode\", \"allow\", \"ask\", \
             \"deny\", \"working_folders\" and \"home\". The result of an invalid line has an \"error\".",
        )
        .args(permissions::arguments())
        .arg(args::json())
        .arg(batch.conflicts_with_all(["tool", "arguments", "json"]))
        .arg(tool.required_unless_present("jsonl"))
        .arg(arguments.required_unless_present("jsonl"))
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
    args::positional("rule", "RULE", help).required(true)
}

fn scope_argument(help: &'static str) -> Arg {
    args::option("scope", "SCOPE", help).value_parser(["project", "user"])
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("check", matches)) if matches.get_flag("jsonl") => batch::run(app, matches).await,
        Some(("check", matches)) => check::run(app, matches).await,
        Some(("list", matches)) => Ok(rules::list(app, matches.get_flag("json"))),
        Some(("allow", matches)) => rules::allow(app, matches),
        Some(("remove", matches)) => rules::remove(app, matches),
        Some(("trust", matches)) => trust::trust(app, matches).await,
        Some(("untrust", _)) => trust::untrust(app),
        Some(("accepted", matches)) => accepted::list(matches.get_flag("json")),
        Some(("revoke", matches)) => accepted::revoke(app, matches),
        _ => Err(ExitCode::from(WRONG_USAGE)),
    }
}
