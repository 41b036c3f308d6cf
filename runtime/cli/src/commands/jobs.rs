//! `jobs`: the background jobs of the app.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::sessions::waiting_json;
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _, WRONG_USAGE};
use crate::job_table::{render_job, render_table};
use crate::runner::interrupt::interrupt_on_ctrl_c;
use crate::runner::{RunOptions, unattended_arguments};
use crate::{args, jobs};
use helve_core::transcript::SessionId;
use helve_jobs::{Job, JobError, JobRunner, Jobs};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let name =
        || args::positional("job", "JOB", "The job, as printed by `jobs list`").required(true);
    let below = args::option("session", "ID", "Only the jobs of this session");
    Command::new("jobs")
        .about("List the background jobs, and manage them")
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the jobs, the latest first (the default)")
                .arg(below)
                .arg(args::json()),
        )
        .subcommand(
            Command::new("show")
                .about("Show a job: how far it is, what it waits for, and its answer")
                .arg(name())
                .arg(args::json()),
        )
        .subcommand(
            Command::new("stop")
                .about("Stop a job, and the jobs that it has started")
                .arg(name()),
        )
        .subcommand(run_command())
}

fn run_command() -> Command {
    let watch = args::flag(
        "watch",
        "Go on until it is interrupted, also when no job can be continued",
    );
    Command::new("run")
        .about("Continue the jobs of this folder, until each is over or waits for an answer")
        .arg(watch)
        .args(unattended_arguments())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let jobs = jobs::open(app).await.or_failed()?;
    let done = match matches.subcommand() {
        Some(("show", matches)) => show(&jobs, app, matches).await,
        Some(("stop", matches)) => stop(&jobs, matches).await,
        Some(("run", matches)) => return continue_jobs(jobs, app, matches).await,
        Some((_, matches)) => list(&jobs, matches).await,
        None => list(&jobs, matches).await,
    };
    done.map_err(|error| {
        output::error(&error);
        match error {
            JobError::NotFound { .. } | JobError::Over { .. } => ExitCode::from(WRONG_USAGE),
            _ => ExitCode::FAILURE,
        }
    })
}

async fn list(jobs: &Jobs, matches: &ArgMatches) -> Result<ExitCode, JobError> {
    let below = matches.try_get_one::<String>("session").ok().flatten();
    let below = below.map(|id| SessionId::from(id.as_str()));
    let list = jobs.list(below.as_ref()).await?;
    if matches.get_flag("json") {
        output::json(&list.iter().map(job_json).collect::<Vec<_>>());
    } else if list.is_empty() {
        output::line("no jobs");
    } else {
        output::print(&render_table(&list));
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(jobs: &Jobs, app: &AppContext, matches: &ArgMatches) -> Result<ExitCode, JobError> {
    let job = jobs.find(&job_name(matches), None).await?;
    if matches.get_flag("json") {
        output::json(&job_json(&job));
    } else {
        output::print(&render_job(&job, app.binary()));
    }
    Ok(ExitCode::SUCCESS)
}

async fn stop(jobs: &Jobs, matches: &ArgMatches) -> Result<ExitCode, JobError> {
    jobs.stop(&job_name(matches), None).await?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a job as JSON: what it waits for is in the form of `sessions show` and `sessions waiting`.
fn job_json(job: &Job) -> Value {
    let mut shown = json!(job);
    if !job.waiting.is_empty() {
        shown["waiting"] = job.waiting.iter().map(waiting_json).collect();
    }
    shown
}

fn job_name(matches: &ArgMatches) -> SessionId {
    SessionId::from(args::text(matches, "job"))
}

/// `jobs run`: works on the jobs of the folder.
async fn continue_jobs(jobs: Jobs, app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings_with_notes().or_wrong_usage()?;
    let mut options =
        RunOptions::from_flags(app, config, matches).map_err(|error| error.report())?;
    let jobs = jobs.on_notice(|_: &Job, text| output::line(text));
    options.jobs = Some(jobs.clone());
    #[cfg(feature = "mcp")]
    crate::runner::wait_for_servers(app).await;
    let agents = options.agents_of_jobs(app, &jobs::root_agents(&jobs).await);
    let runner = jobs::new_runner(app, jobs, agents);
    let stop = CancellationToken::new();
    let _listening = interrupt_on_ctrl_c(stop.clone());
    let done = match matches.get_flag("watch") {
        true => runner.run(&stop).await,
        false => run_until_idle(&runner, &stop).await,
    };
    options.finish_recording().await;
    done.map_err(|error| exit::failed(&error))?;
    Ok(ExitCode::SUCCESS)
}

/// Works on jobs until none can be continued, and prints it if there was none.
async fn run_until_idle(runner: &JobRunner, stop: &CancellationToken) -> Result<(), JobError> {
    if runner.once(stop).await? == 0 {
        output::note("no job can be continued here now; `jobs list` lists those of all folders");
    }
    Ok(())
}
