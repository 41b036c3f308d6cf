//! `run`, `resume` and `demo`: run the agent and show its events.

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
        .help("The prompt; `-` reads it from standard input");
    Command::new("run")
        .about("Run the agent with a prompt")
        .after_help(exit::HELP)
        .arg(prompt)
        .args(SessionChoice::arguments())
        .args(run_arguments())
        .mut_arg("no-session", |unrecorded| {
            unrecorded.conflicts_with("defer")
        })
}

/// The arguments of both `run` and `resume`.
fn run_arguments() -> Vec<Arg> {
    let defer = Arg::new("defer")
        .long("defer")
        .action(ArgAction::SetTrue)
        .help("Defer questions: stop when every remaining call waits for an answer");
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Write events to standard output as JSON, one per line; see `events`");
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

/// Parses the arguments of both `run` and `resume`.
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
