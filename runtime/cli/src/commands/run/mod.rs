//! `run`, `resume` and `demo`: run the agent and show its events.

#[cfg(feature = "chat")]
mod custom;
mod demo;
mod prompt;

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

pub(super) use demo::{current_repository, demo, demo_command};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::runner::{self, RunOptions, SessionChoice, TurnInput, recording_arguments};
use crate::{args, config, hooks, permissions};
#[cfg(not(feature = "chat"))]
use helve_core::transcript::Message;

pub(super) fn command() -> Command {
    let prompt = args::positional(
        "prompt",
        "PROMPT",
        "The prompt; `-`, or a pipe without this argument, reads it from standard input",
    );
    Command::new("run")
        .short_flag('p')
        .about("Run the agent with a prompt, and print its answer")
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
    let defer = args::flag(
        "defer",
        "Defer questions: stop when every remaining call waits for an answer",
    );
    let json = args::flag(
        "json",
        "Write events to standard output as JSON, one per line; see `events`",
    );
    let suggest = args::option(
        "suggest",
        "N",
        "Suggest what to say next, with one call of the small model [default: 0]",
    );
    let suggest = suggest.value_parser(clap::value_parser!(u8).range(0..=9));
    let mut arguments = config::arguments();
    arguments.extend(recording_arguments());
    arguments.extend([RunOptions::dry_run_argument(), defer, json, suggest]);
    arguments.extend(permissions::arguments());
    #[cfg(feature = "agents")]
    arguments.push(runner::named_agents::argument());
    arguments.extend(hooks::argument());
    arguments
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let mut job = run_options(app, matches)?;
    let given = matches.get_one::<String>("prompt");
    let prompt = prompt::read(given.map(String::as_str), app.binary()).await;
    #[cfg(feature = "agents")]
    let prompt = prompt.or_else(|error| {
        let first = job
            .named
            .as_ref()
            .and_then(|agent| agent.spec().initial_prompt.clone());
        first.filter(|_| error.is_missing()).ok_or(error)
    });
    let prompt = prompt.or_wrong_usage()?;
    #[cfg(feature = "chat")]
    let input = custom::message(app, &mut job, prompt).await?;
    #[cfg(not(feature = "chat"))]
    let input = Message::user(prompt);
    let input = TurnInput::Message(input);
    run_turns(app, &mut job, &SessionChoice::from_flags(matches), input).await
}

/// Runs turns, and works on background jobs meanwhile if the session is recorded.
#[cfg(feature = "jobs")]
async fn run_turns(
    app: &AppContext,
    job: &mut RunOptions,
    choice: &SessionChoice,
    input: TurnInput,
) -> CommandResult {
    let jobs = match choice {
        SessionChoice::Unrecorded => None,
        _ => crate::jobs::JobService::start(app, job).await,
    };
    let done = runner::run(app, job, choice, input).await;
    if let Some(jobs) = jobs {
        jobs.stop(app).await;
    }
    done
}

#[cfg(not(feature = "jobs"))]
async fn run_turns(
    app: &AppContext,
    job: &mut RunOptions,
    choice: &SessionChoice,
    input: TurnInput,
) -> CommandResult {
    runner::run(app, job, choice, input).await
}

pub(super) fn resume_command() -> Command {
    let session = args::positional(
        "session",
        "ID",
        "The session to resume [default: the most recent session of this folder]",
    );
    Command::new("resume")
        .about("Resume an interrupted turn, or a turn that waits for an answer")
        .arg(session)
        .args(run_arguments())
}

pub(super) async fn resume(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let mut job = run_options(app, matches)?;
    let choice = match matches.get_one::<String>("session") {
        Some(id) => SessionChoice::Existing(id.as_str().into()),
        None => SessionChoice::Last,
    };
    run_turns(app, &mut job, &choice, TurnInput::Resume).await
}

/// Parses the arguments of both `run` and `resume`.
fn run_options(app: &AppContext, matches: &ArgMatches) -> Result<RunOptions, ExitCode> {
    let config = app.settings_with_notes().or_wrong_usage()?;
    #[cfg(feature = "agents")]
    let named = runner::named_agents::from_flags(app, matches).or_wrong_usage()?;
    let job = RunOptions::from_flags(app, config, matches).map_err(|error| error.report())?;
    Ok(RunOptions {
        #[cfg(feature = "agents")]
        named,
        dry_run: matches.get_flag("dry-run"),
        defers_questions: matches.get_flag("defer"),
        json: matches.get_flag("json"),
        suggestions: matches.get_one("suggest").copied().unwrap_or_default(),
        ..job
    })
}
