//! `permissions`: checks calls, and manages rules and acceptances.

mod accepted;
mod batch;
mod check;
mod report;
mod rules;
mod trust;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};

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
        .subcommand(add_command("allow", "Add a rule that allows calls"))
        .subcommand(add_command(
            "ask",
            "Add a rule that asks before calls, also if another rule allows them",
        ))
        .subcommand(add_command(
            "deny",
            "Add a rule that denies calls, whatever other rules say",
        ))
        .subcommand(remove_command())
        .subcommand(trust::command())
        .subcommand(untrust)
        .subcommand(accepted::command())
        .subcommand(accepted::revoke_command())
}

fn check_command() -> Command {
    // The flags of the tool are parsed once the tool is known.
    let words = args::positional(
        "words",
        "TOOL [FLAGS]",
        "The name of the tool and its flags as in `call`, or its arguments as a JSON object",
    );
    let batch = args::flag(
        "jsonl",
        "Read calls from standard input, one JSON object per line, and write one result per line",
    );
    Command::new("check")
        .about("Check whether a call would be allowed, asked about or denied, without running it")
        .after_help(
            "Flags of `check` stand before the name of the tool. A line of --jsonl is {\"tool\": …, \"arguments\": \
             {…}}, optionally with \"mode\", \"allow\", \"ask\", \"deny\", \"working_folders\" and \"home\". The \
             result of an invalid line has an \"error\".",
        )
        .args(permissions::arguments())
        .arg(args::json())
        .arg(batch.conflicts_with_all(["words", "json"]))
        .arg(
            words
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .required_unless_present("jsonl"),
        )
}

fn add_command(list: &'static str, about: &'static str) -> Command {
    Command::new(list)
        .about(about)
        .after_help(
            "The rule is shown, and added after you confirm it at the terminal. Running agents read it at their next \
             start.",
        )
        .arg(scope_argument("The file to add the rule to").default_value("project"))
        .arg(yes_argument())
        .arg(rule_argument("The rule, such as `bash(git commit:*)`"))
}

fn remove_command() -> Command {
    Command::new("remove")
        .about("Remove a rule of the project or the user")
        .arg(scope_argument("Remove the rule only from this file"))
        .arg(yes_argument())
        .arg(rule_argument("The rule, as printed by `permissions list`"))
}

fn yes_argument() -> Arg {
    args::flag("yes", "Change the file without asking")
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
        Some((list @ ("allow" | "ask" | "deny"), matches)) => rules::add(app, list, matches).await,
        Some(("remove", matches)) => rules::remove(app, matches).await,
        Some(("trust", matches)) => trust::trust(app, matches).await,
        Some(("untrust", _)) => trust::untrust(app),
        Some(("accepted", matches)) => accepted::list(matches.get_flag("json")),
        Some(("revoke", matches)) => accepted::revoke(app, matches),
        _ => Err(ExitCode::from(WRONG_USAGE)),
    }
}
