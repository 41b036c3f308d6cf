//! `schedule`: the schedules of the app in a folder.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use crate::app::MAIN_AGENT;
use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _, WRONG_USAGE};
use crate::runner::bounds;
use crate::{args, permissions, schedules};
use helve_schedule::{
    MissedRuns, NewSchedule, OverlappingRuns, RunAuthority, Schedule, ScheduleError, Schedules,
    render_inbox, render_runs, render_schedule, render_schedules,
};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let id = || args::positional("id", "ID", "The schedule, as printed by `schedule list`");
    let with_id = |name, about| Command::new(name).about(about).arg(id().required(true));
    Command::new("schedule")
        .about("List the schedules of this folder, and manage them")
        .arg(args::json())
        .subcommand(add_command())
        .subcommand(
            Command::new("list")
                .about("List the schedules (the default)")
                .arg(args::json()),
        )
        .subcommand(
            with_id("show", "Show a schedule, its next times and its runs").arg(args::json()),
        )
        .subcommand(
            Command::new("runs")
                .about("List the runs, the latest first")
                .arg(id())
                .arg(args::json()),
        )
        .subcommand(
            Command::new("inbox")
                .about("List the runs that wait, and those that have ended with something to say")
                .arg(args::json()),
        )
        .subcommand(with_id("pause", "Pause a schedule"))
        .subcommand(with_id("resume", "Resume a schedule"))
        .subcommand(with_id("run", "Make a run now, which a daemon works on"))
        .subcommand(with_id(
            "rm",
            "Remove a schedule; the sessions of its runs stay",
        ))
}

fn add_command() -> Command {
    let required = |name, value, help| args::positional(name, value, help).required(true);
    Command::new("add")
        .about("Add a schedule, whose runs may do what you may do now")
        .arg(required("name", "NAME", "A short name"))
        .arg(required(
            "when",
            "WHEN",
            "`0 9 * * 1-5`, `every 2h`, `in 30m` or `2026-12-01T09:00`",
        ))
        .arg(required(
            "prompt",
            "PROMPT",
            "What the agent is asked to do in each run",
        ))
        .arg(args::option(
            "time-zone",
            "ZONE",
            "The time zone, such as Europe/Berlin [default: that of this machine]",
        ))
        .args(run_arguments())
        .arg(args::option(
            "agent",
            "NAME",
            "The agent that works [default: that of the app]",
        ))
        .args(permissions::arguments())
        .arg(args::json())
}

/// The arguments that decide which runs a schedule makes.
fn run_arguments() -> [Arg; 5] {
    let number = |arg: Arg| arg.value_parser(value_parser!(u32).range(1..));
    let missed = "What happens to runs that were missed [default: once]";
    let overlap = "What happens while the run before goes on [default: skip]";
    let jitter = "The greatest random delay of a run";
    let most = "The number of runs after which it ends";
    [
        args::option("missed", "POLICY", missed).value_parser(["once", "skip", "all"]),
        args::option("overlap", "POLICY", overlap).value_parser(["skip", "queue"]),
        number(args::option("jitter", "SECONDS", jitter)),
        number(args::option("max-runs", "N", most)),
        args::option("until", "TIME", "The time after which it ends"),
    ]
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let schedules = schedules::open(app).or_failed()?;
    let (name, matches) = matches.subcommand().unwrap_or(("list", matches));
    if name == "add" {
        return add(&schedules, app, matches).await;
    }
    let done = run_on(&schedules, app, name, matches).await;
    done.map_err(|error| report(&error, app.binary()))?;
    Ok(ExitCode::SUCCESS)
}

async fn run_on(
    schedules: &Schedules,
    app: &AppContext,
    name: &str,
    matches: &ArgMatches,
) -> Result<(), ScheduleError> {
    let id = || matches.get_one::<String>("id").map_or("", String::as_str);
    let is_json = matches.try_get_one::<bool>("json").ok().flatten() == Some(&true);
    match name {
        "pause" => print_done("paused", &schedules.pause(id(), None).await?),
        "resume" => print_done("resumed", &schedules.resume(id()).await?),
        "run" => {
            output::line(&schedules.run_now(id()).await?.session);
            schedules::note_missing_daemon(schedules, app).await;
        }
        "rm" => print_done("removed", &schedules.remove(id()).await?),
        "show" => {
            let schedule = schedules.find(id()).await?;
            let runs = schedules.runs(Some(id())).await?;
            match is_json {
                true => output::json(&json!({ "schedule": schedule, "runs": runs })),
                false => output::print(&render_schedule(&schedule, &runs, schedules.now())),
            }
        }
        "runs" | "inbox" => {
            let runs = match name {
                "inbox" => schedules.inbox().await?,
                _ if id().is_empty() => schedules.runs(None).await?,
                _ => schedules.runs(Some(id())).await?,
            };
            // The id of no schedule is an error.
            if runs.is_empty() && name == "runs" && !id().is_empty() {
                schedules.find(id()).await?;
            }
            match (is_json, name) {
                (true, _) => output::json(&runs),
                _ if runs.is_empty() => output::line("no runs"),
                (_, "runs") => output::print(&render_runs(&runs)),
                _ => {
                    output::print(&render_inbox(&runs, app.binary()));
                    schedules.mark_seen(&runs).await?;
                }
            }
        }
        _ => {
            let list = schedules.list().await?;
            match is_json {
                true => output::json(&list),
                false if list.is_empty() => output::line(&format!(
                    "no schedules; `{} schedule add NAME WHEN PROMPT` makes one",
                    app.binary()
                )),
                false => output::print(&render_schedules(&list)),
            }
        }
    }
    Ok(())
}

fn print_done(what: &str, schedule: &Schedule) {
    output::line(&format!("{what} {}", schedule.id));
}

async fn add(schedules: &Schedules, app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings_with_notes().or_wrong_usage()?;
    let policy = app.policy(config, matches).or_wrong_usage()?;
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let required = |name: &str| text(name).unwrap_or_default();
    let mut new = NewSchedule::new(required("name"), required("prompt"), required("when"));
    new.time_zone = text("time-zone");
    new.until = text("until");
    new.missed = match text("missed").as_deref() {
        Some("skip") => MissedRuns::Skip,
        Some("all") => MissedRuns::All,
        _ => MissedRuns::Once,
    };
    if text("overlap").as_deref() == Some("queue") {
        new.overlap = OverlappingRuns::Queue;
    }
    new.jitter_seconds = matches.get_one("jitter").copied().unwrap_or_default();
    new.max_runs = matches.get_one("max-runs").copied();
    let agent = text("agent").unwrap_or_else(|| MAIN_AGENT.to_owned());
    #[cfg(feature = "agents")]
    if agent != MAIN_AGENT {
        crate::runner::named_agents::find(app, &agent).or_wrong_usage()?;
    }
    let authority = RunAuthority::of_person(agent, &policy, bounds(config));
    let made = schedules.create(new, authority).await;
    let made = made.map_err(|error| report(&error, app.binary()))?;
    match matches.get_flag("json") {
        true => output::json(&made),
        false => output::print(&render_schedule(&made, &[], schedules.now())),
    }
    schedules::note_missing_daemon(schedules, app).await;
    Ok(ExitCode::SUCCESS)
}

/// Prints an error, and returns the exit code.
fn report(error: &ScheduleError, binary: &str) -> ExitCode {
    output::error(error);
    match error {
        ScheduleError::NotFound { .. } => {
            output::note(&format!("help: run `{binary} schedule list` for the ids"));
            ExitCode::from(WRONG_USAGE)
        }
        ScheduleError::State(_) | ScheduleError::Session(_) => ExitCode::FAILURE,
        _ => ExitCode::from(WRONG_USAGE),
    }
}
