//! `run`, `resume` and `demo`: the agent at work, told as it happens.

mod demo;
mod prompt;
mod resume;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) use demo::{current_repository, demo, demo_command};
pub(super) use resume::{resume, resume_command};

use crate::app_context::AppContext;
use crate::runner::{self, RunOptions, SessionChoice, TurnInput, recording_arguments};
use crate::{config, exit, permissions};
use helve_core::transcript::Message;

pub(super) fn command() -> Command {
    let prompt = Arg::new("prompt")
        .value_name("PROMPT")
        .required(true)
        .help("What the agent should do; `-` reads it from standard input");
    Command::new("run")
        .about("Lets the agent do something")
        .after_help(exit::HELP)
        .arg(prompt)
        .args(SessionChoice::arguments())
        .args(run_arguments())
        .mut_arg("no-session", |unrecorded| {
            unrecorded.conflicts_with("defer")
        })
}

/// What `run` and `resume` have in common.
fn run_arguments() -> Vec<Arg> {
    let defer = Arg::new("defer")
        .long("defer")
        .action(ArgAction::SetTrue)
        .help("Put questions off: stop when nothing else can be done, to be answered later or elsewhere");
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Write what happens as JSON, an event a line; `events` says what they are");
    let mut arguments = config::arguments();
    arguments.extend(recording_arguments());
    arguments.extend([RunOptions::dry_run_argument(), defer, json]);
    arguments.extend(permissions::arguments());
    arguments
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let job = match run_options(app, matches) {
        Ok(job) => job,
        Err(code) => return code,
    };
    let prompt = matches.get_one::<String>("prompt");
    let prompt = match prompt::read(prompt.map_or("", String::as_str)).await {
        Ok(prompt) => prompt,
        Err(error) => return exit::wrong_usage(&error),
    };
    let choice = SessionChoice::from_flags(matches);
    runner::run(
        app,
        &job,
        &choice,
        TurnInput::Message(Message::user(prompt)),
    )
    .await
}

/// Reads what `run` and `resume` have in common.
fn run_options(app: &AppContext, matches: &ArgMatches) -> Result<RunOptions, ExitCode> {
    let config = app.settings_with_notes();
    let config = config.map_err(|error| exit::wrong_usage(error))?;
    let job = RunOptions::from_flags(app, config, matches).map_err(|error| error.report())?;
    Ok(RunOptions {
        dry_run: matches.get_flag("dry-run"),
        defers_questions: matches.get_flag("defer"),
        json: matches.get_flag("json"),
        ..job
    })
}
