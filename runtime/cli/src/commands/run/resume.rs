//! `resume`: resumes an interrupted turn, or a turn that waits for an answer.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::{run_arguments, run_options};
use crate::app_context::AppContext;
use crate::runner::{self, SessionChoice, TurnInput};

pub(in crate::commands) fn resume_command() -> Command {
    let session = Arg::new("session")
        .value_name("ID")
        .help("The session to resume [default: the most recent session of this folder]");
    Command::new("resume")
        .about("Resume an interrupted turn, or a turn that waits for an answer")
        .arg(session)
        .args(run_arguments())
}

pub(in crate::commands) async fn resume(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let job = match run_options(app, matches) {
        Ok(job) => job,
        Err(code) => return code,
    };
    let choice = match matches.get_one::<String>("session") {
        Some(id) => SessionChoice::Existing(id.as_str().into()),
        None => SessionChoice::Last,
    };
    runner::run(app, &job, &choice, TurnInput::Resume).await
}
