//! `run`, `resume` and `demo`: the agent at work, told as it happens.

mod demo;
mod resume;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

pub(super) use demo::{demo, demo_command, repository};
pub(super) use resume::{resume, resume_command};

use super::WRONG_USAGE;
use crate::cli::assembly::Assembly;
use crate::cli::at_work::{self, Job, Kept, Work};
use crate::cli::{exit, output, permissions};
use crate::model::{Model, ReplayModel};
use crate::transcript::Message;

pub(super) fn command() -> Command {
    let prompt = Arg::new("prompt")
        .value_name("PROMPT")
        .required(true)
        .help("What the agent should do");
    let session = Arg::new("session")
        .long("session")
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
        .arg(prompt)
        .arg(session)
        .arg(last)
        .arg(unrecorded)
        .args(job_arguments())
}

/// What `run` and `resume` have in common.
fn job_arguments() -> Vec<Arg> {
    let replay = Arg::new("replay")
        .long("replay")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Let a recorded model speak in place of a real one");
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Change nothing: tools that do more than read say what they would do");
    let defer = Arg::new("defer")
        .long("defer")
        .action(ArgAction::SetTrue)
        .help("Put questions off: stop when nothing else can be done, to be answered later or elsewhere");
    let mut arguments = vec![replay, dry_run, defer];
    arguments.extend(permissions::arguments());
    arguments
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let job = match job(assembly, matches) {
        Ok(job) => job,
        Err(code) => return code,
    };
    let prompt = matches.get_one::<String>("prompt");
    let prompt = prompt.cloned().unwrap_or_default();
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
    let policy = permissions::policy(assembly, matches);
    let policy = policy.map_err(|error| exit::wrong_usage(&error))?;
    let model = model(assembly, matches.get_one::<PathBuf>("replay"))?;
    Ok(Job {
        dry_run: matches.get_flag("dry-run"),
        defers: matches.get_flag("defer"),
        ..Job::new(model, policy)
    })
}

fn model(assembly: &Assembly, replay: Option<&PathBuf>) -> Result<Arc<dyn Model>, ExitCode> {
    let Some(file) = replay else {
        return assembly.model.clone().ok_or_else(|| {
            output::note(
                "error: this app has no model: give it one with `.model(…)`, or play a recording with `--replay FILE`",
            );
            ExitCode::from(WRONG_USAGE)
        });
    };
    match ReplayModel::open(file) {
        Ok(model) => Ok(Arc::new(model)),
        Err(error) => {
            output::note(&format!("error: {}: {error}", file.display()));
            Err(ExitCode::FAILURE)
        }
    }
}
