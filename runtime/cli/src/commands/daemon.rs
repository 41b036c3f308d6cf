//! `daemon`: makes the scheduled runs of a folder, and works on them and on the background jobs.

mod agent_files;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{ArgMatches, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::runner::interrupt::interrupt_on_ctrl_c;
use crate::runner::{RunOptions, unattended_arguments};
use crate::{args, hooks, jobs, schedules};
use agent_files::{AgentFiles, agents_of};
use helve_jobs::{JobRunner, Jobs};
use helve_schedule::{RunStatus, ScheduleRunner, ScheduledRun, ServiceManager, ServiceNotifier};
use helve_terminal::output;

/// The variables that name the folders of the state, the settings and the data.
const FOLDER_VARIABLES: [&str; 4] = [
    "HELVE_STATE",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

pub(super) fn command() -> Command {
    let once = args::flag(
        "once",
        "Work on what is due now, and end: for cron and other timers",
    );
    let unit = args::option(
        "print-unit",
        "MANAGER",
        "Print a unit that starts the daemon, for `systemd` or `launchd`",
    )
    .num_args(0..=1)
    .default_missing_value("")
    .value_parser([
        PossibleValue::new("").hide(true),
        "systemd".into(),
        "launchd".into(),
    ]);
    Command::new("daemon")
        .about("Make the scheduled runs of this folder as they become due, until it is interrupted")
        .args([once, unit])
        .args(unattended_arguments())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    if let Some(manager) = matches.get_one::<String>("print-unit") {
        return print_unit(app, manager);
    }
    let config = app.settings_with_notes().or_wrong_usage()?;
    let jobs = jobs::open(app).await.or_failed()?;
    if matches.get_flag("once") && !has_work(app, &jobs).await? {
        if std::io::stderr().is_terminal() {
            output::note("nothing is due");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut files = AgentFiles::new(app, config, matches);
    let mut options =
        RunOptions::from_flags(app, config, matches).map_err(|error| error.report())?;
    options.jobs = Some(jobs.clone());
    #[cfg(feature = "mcp")]
    crate::runner::wait_for_servers(app).await;
    let agents = agents_of(app, &options);
    let agents = agents.map_err(|error| exit::with_message(exit::FAILED, error))?;
    let notify = hooks::notifier(app);
    let runner = ScheduleRunner::new(
        schedules::open(app).or_failed()?,
        agents.clone(),
        app.tool_contexts(),
    )
    .approver(hooks::approver_of_jobs(app))
    .notifier(ServiceNotifier::from_environment())
    .on_notice(move |run: &ScheduledRun, text| {
        output::line(text);
        let is_waiting = run.status == RunStatus::Waiting;
        notify(
            text,
            if is_waiting {
                "scheduled_run_waiting"
            } else {
                "scheduled_run_ended"
            },
        );
    });
    #[cfg(feature = "skill-install")]
    let runner = match schedules::of_skills(app, &app.skills) {
        Some(of_skills) => runner.skills(std::sync::Arc::new(of_skills)),
        None => runner,
    };
    let job_runner = jobs::new_runner(app, jobs, agents);
    let (runner, mut reloads) = runner.with_reloads();
    let reloading = async {
        while let Some(request) = reloads.next().await {
            let changed = files.reload(&mut options).await;
            for agent in changed.iter().flatten().flatten() {
                job_runner.set_agent(agent.clone());
            }
            request.finish(changed);
        }
    };
    let done = tokio::select! {
        done = work(&runner, &job_runner, matches.get_flag("once")) => done,
        () = reloading => Ok(()),
    };
    options.finish_recording().await;
    done.map(|()| ExitCode::SUCCESS)
}

/// Works on runs and jobs: on what is due, or until it is stopped.
async fn work(
    runner: &ScheduleRunner,
    job_runner: &JobRunner,
    is_once: bool,
) -> Result<(), ExitCode> {
    let stop = CancellationToken::new();
    let _listening = interrupt_on_ctrl_c(stop.clone());
    let terminated = cancel_on_termination(stop.clone());
    let done = if is_once {
        let worked = runner.once(&stop).await;
        let jobs = job_runner.once(&stop).await;
        let worked = worked.map_err(|error| exit::failed(&error));
        worked
            .and(jobs.map_err(|error| exit::failed(&error)))
            .map(|_| ())
    } else {
        let (working, on_jobs) = (runner.run(&stop), job_runner.run(&stop));
        let working = async { working.await.map_err(|error| exit::failed(&error)) };
        let on_jobs = async { on_jobs.await.map_err(|error| exit::failed(&error)) };
        tokio::try_join!(working, on_jobs).map(|_| ())
    };
    terminated.abort();
    done
}

/// Makes the runs that are due, and returns whether there are runs or jobs to work on: without any, no model is needed.
async fn has_work(app: &AppContext, jobs: &Jobs) -> Result<bool, ExitCode> {
    let schedules = schedules::open(app).or_failed()?;
    let runner = ScheduleRunner::new(schedules, [], app.tool_contexts());
    Ok(runner.make_due().await.or_failed()? || jobs.has_work().await.or_failed()?)
}

fn print_unit(app: &AppContext, manager: &str) -> CommandResult {
    let manager = match manager {
        "systemd" => ServiceManager::Systemd,
        "launchd" => ServiceManager::Launchd,
        _ => ServiceManager::of_system(),
    };
    let program = std::env::current_exe().or_failed()?;
    let mut command = vec![program.to_string_lossy().into_owned(), "daemon".to_owned()];
    // The folders are those that this process uses: a service manager does not have the variables of a shell.
    let folders = FOLDER_VARIABLES.iter().filter_map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(format!("{name}={value}"))
    });
    let folders: Vec<String> = folders.collect();
    if !folders.is_empty() {
        command.splice(
            0..0,
            std::iter::once("/usr/bin/env".to_owned()).chain(folders),
        );
    }
    output::print(&manager.unit(app.binary(), &app.folder, &command));
    Ok(ExitCode::SUCCESS)
}

/// Stops the work when the system ends the process.
fn cancel_on_termination(stop: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            if let Ok(mut signal) = signal(SignalKind::terminate()) {
                signal.recv().await;
                stop.cancel();
            }
        }
        #[cfg(not(unix))]
        drop(stop);
    })
}
