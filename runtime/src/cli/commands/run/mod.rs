//! `run`, `resume` and `demo`: the agent at work, told as it happens.

mod demo;
mod prompt;
mod resume;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) use demo::{demo, demo_command, repository};
pub(super) use resume::{resume, resume_command};

use crate::cli::assembly::Assembly;
use crate::cli::at_work::{self, Job, JobError, Kept, Work, recording_arguments};
use crate::cli::{config, exit, permissions};
use crate::transcript::Message;

pub(super) fn command() -> Command {
    let prompt = Arg::new("prompt")
        .value_name("PROMPT")
        .required(true)
        .help("What the agent should do; `-` reads it from standard input");
    let session = Arg::new("session")
        .long("session")
        .visible_alias("resume")
        .value_name("ID")
        .help("Go on with this conversation [default: a new one]");
    let last = Arg::new("continue")
        .long("continue")
        .action(ArgAction::SetTrue)
        .conflicts_with("session")
        .help("Go on with the conversation that was had last in this folder");
    let unrecorded = Arg::new("no-session")
        .long("no-session")
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["session", "continue", "defer"])
        .help("Record nothing: what is cut off cannot be gone on with");
    Command::new("run")
        .about("Lets the agent do something")
        .after_help(exit::HELP)
        .arg(prompt)
        .arg(session)
        .arg(last)
        .arg(unrecorded)
        .args(job_arguments())
}

/// What `run` and `resume` have in common.
fn job_arguments() -> Vec<Arg> {
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Change nothing: tools that do more than read say what they would do");
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
    arguments.extend([dry_run, defer, json]);
    arguments.extend(permissions::arguments());
    arguments
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let job = match job(assembly, matches) {
        Ok(job) => job,
        Err(code) => return code,
    };
    let prompt = matches.get_one::<String>("prompt");
    let prompt = match prompt::read(prompt.map_or("", String::as_str)) {
        Ok(prompt) => prompt,
        Err(error) => return exit::wrong_usage(&error),
    };
    let kept = match (
        matches.get_one::<String>("session"),
        matches.get_flag("continue"),
    ) {
        _ if matches.get_flag("no-session") => Kept::Nowhere,
        (Some(id), _) => Kept::In(id.as_str().into()),
        (None, true) => Kept::InLast,
        (None, false) => Kept::InNew,
    };
    at_work::run(assembly, &job, &kept, Work::Say(Message::user(prompt)))
}

/// Reads what `run` and `resume` have in common.
fn job(assembly: &Assembly, matches: &ArgMatches) -> Result<Job, ExitCode> {
    let config = config::load(assembly, matches);
    let job = config
        .map_err(JobError::from)
        .and_then(|config| Job::of(assembly, &config, matches));
    let job = job.map_err(|error| error.refuse())?;
    Ok(Job {
        dry_run: matches.get_flag("dry-run"),
        defers: matches.get_flag("defer"),
        json: matches.get_flag("json"),
        ..job
    })
}
