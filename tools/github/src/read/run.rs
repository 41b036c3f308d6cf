//! `github_run`.

use helve::prelude::*;
use serde_json::Value;

use super::pull_request::info;
use super::{MAX_TITLE_CHARS, name, output, row};
use crate::client::{Api, JSON};
use crate::listing::Listing;
use crate::lockdown::{Lockdown, WITHHELD};
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{day, log_tail, one_line};
use crate::value::{count, items, login, number, sha, short_sha, text};

/// The most jobs whose logs are shown at once.
const MAX_LOGS: usize = 5;

/// What of a run is read.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum RunPart {
    /// How it ended, or where it is.
    #[default]
    Status,
    /// Its jobs with their steps.
    Jobs,
    /// The last lines of the logs of its jobs.
    Log,
}

/// Reads the runs of workflows on GitHub Actions: the last ones, or one with its jobs and their logs.
///
/// Without `run` and `pr` the last runs are listed; `pr` stands for the runs of the last commit of a pull request.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Read runs on GitHub Actions",
    requires(net, fs, secrets("GITHUB_TOKEN", "GH_TOKEN")),
    config_check = check_settings,
    examples = [r#"{"repo": "acme/app", "pr": 14, "what": "log", "failed_only": true}"#]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn github_run(
    /// The repository, as `owner/name`; by default the `origin` of the working folder.
    repo: Option<&str>,
    /// The id of the run.
    run: Option<u64>,
    /// The number of a pull request, in place of `run`.
    pr: Option<u64>,
    /// The address of the run, in place of `repo` and `run`.
    url: Option<&str>,
    /// What to read.
    #[arg(default)]
    what: RunPart,
    /// Whether only jobs that failed are shown.
    #[arg(default)]
    failed_only: bool,
    /// How many of the last lines of each log to return.
    #[arg(default = 200, min = 1, max = 2000)]
    tail: usize,
    /// The page of a list.
    #[arg(default = 1, min = 1, max = 1000)]
    page: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let repository = &target.repository;
    let lockdown = Lockdown::new(&api, repository).await?;
    let found = match (run.or_else(|| named_run(&target)), pr) {
        (Some(run), _) => Some(run),
        (None, Some(pr)) if what != RunPart::Status => {
            Some(find_run(&api, repository, pr, failed_only).await?)
        }
        _ => None,
    };
    let text = match found {
        None => list(&api, repository, pr, lockdown, page).await?,
        Some(id) => {
            let endpoint = repository.endpoint(["actions", "runs", &*id.to_string()]);
            let item = api
                .read(&endpoint, &format!("the run {id} of {repository}"))
                .await?;
            match what {
                _ if is_withheld(repository, &item, lockdown) => WITHHELD.to_owned(),
                RunPart::Status => format!("{repository} {}", run_row(&api, repository, &item)),
                RunPart::Jobs => jobs(&api, repository, id, failed_only, page).await?,
                RunPart::Log => logs(&api, repository, id, failed_only, tail).await?,
            }
        }
    };
    Ok(output(
        "github_run",
        api.host.page(&format!("{repository}/actions")),
        text,
    ))
}

/// Returns the run that the address names.
fn named_run(target: &ReadTarget) -> Option<u64> {
    match &*target.page.as_ref()?.rest {
        [actions, runs, id, ..] if actions == "actions" && runs == "runs" => id.parse().ok(),
        _ => None,
    }
}

/// Returns the newest run of the last commit of a pull request; one that failed if only those are wanted.
async fn find_run(
    api: &Api<'_>,
    repository: &RepositoryName,
    pr: u64,
    failed_only: bool,
) -> Result<u64, ToolError> {
    let runs = runs_of(api, repository, Some(pr), 1).await?.0;
    let mut runs = items(&runs, "/workflow_runs").iter();
    let found = runs.find(|run| !failed_only || is_failed(run));
    found.and_then(|run| number(run, "/id")).ok_or_else(|| {
        let which = if failed_only { "failed run" } else { "run" };
        ToolError::failed(format!(
            "there is no {which} of the last commit of {repository}#{pr}"
        ))
    })
}

async fn runs_of(
    api: &Api<'_>,
    repository: &RepositoryName,
    pr: Option<u64>,
    page: usize,
) -> Result<(Value, bool), ToolError> {
    let mut endpoint = repository.endpoint(["actions", "runs"]).page(page);
    if let Some(pr) = pr {
        let item = info(api, repository, pr).await?;
        let head = sha(&item, "/head/sha");
        let head = head.ok_or_else(|| {
            ToolError::failed(format!("{repository}#{pr} has no commit any more"))
        })?;
        endpoint = endpoint.with("head_sha", head);
    }
    let answer = api
        .get(&endpoint, JSON, &format!("the runs of {repository}"))
        .await?;
    Ok((answer.value()?, answer.has_next))
}

/// Reports whether lockdown withholds a run: that of a commit of another repository.
fn is_withheld(repository: &RepositoryName, run: &Value, lockdown: Lockdown) -> bool {
    let head = text(run, "/head_repository/full_name");
    lockdown.is_on() && !head.eq_ignore_ascii_case(&repository.to_string())
}

async fn list(
    api: &Api<'_>,
    repository: &RepositoryName,
    pr: Option<u64>,
    lockdown: Lockdown,
    page: usize,
) -> Result<String, ToolError> {
    let (value, has_next) = runs_of(api, repository, pr, page).await?;
    let of = pr.map_or_else(
        || repository.to_string(),
        |pr| format!("the last commit of {repository}#{pr}"),
    );
    let rows = items(&value, "/workflow_runs").iter().map(|run| {
        if is_withheld(repository, run, lockdown) {
            return row([
                &*format!("run {}", count(run, "/id")),
                &*outcome(run),
                WITHHELD,
            ]);
        }
        run_row(api, repository, run)
    });
    let listing = Listing {
        one: "run",
        many: "runs",
        of: format!("of {of}"),
        page,
        has_next,
        total: number(&value, "/total_count"),
        rows: rows.collect(),
    };
    Ok(listing.render(api.cx))
}

fn run_row(api: &Api<'_>, repository: &RepositoryName, run: &Value) -> String {
    let id = count(run, "/id");
    row([
        &*format!("run {id} {}", name(run, "/name")),
        &*outcome(run),
        &*one_line(text(run, "/event"), 40),
        &*name(run, "/head_branch"),
        &*short_sha(run, "/head_sha"),
        &*login(run, "/actor"),
        &*match count(run, "/run_attempt") {
            0 | 1 => String::new(),
            attempt => format!("attempt {attempt}"),
        },
        day(text(run, "/created_at")),
        &*api.host.page(&format!("{repository}/actions/runs/{id}")),
    ])
}

fn outcome(item: &Value) -> String {
    let outcome = match text(item, "/conclusion") {
        "" => text(item, "/status"),
        conclusion => conclusion,
    };
    one_line(outcome, 30)
}

fn is_failed(item: &Value) -> bool {
    matches!(
        text(item, "/conclusion"),
        "failure" | "timed_out" | "startup_failure"
    )
}

/// Reads a page of the jobs of the last attempt.
async fn jobs_of(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    page: usize,
) -> Result<(Value, bool), ToolError> {
    let endpoint = repository.endpoint(["actions", "runs", &*run.to_string(), "jobs"]);
    let endpoint = endpoint.with("filter", "latest").page_of(page, 100);
    let answer = api
        .get(&endpoint, JSON, &format!("the jobs of the run {run}"))
        .await?;
    Ok((answer.value()?, answer.has_next))
}

async fn jobs(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    failed_only: bool,
    page: usize,
) -> Result<String, ToolError> {
    let (value, has_next) = jobs_of(api, repository, run, page).await?;
    let jobs = items(&value, "/jobs")
        .iter()
        .filter(|job| !failed_only || is_failed(job));
    let rows = jobs.map(|job| {
        let failed = items(job, "/steps").iter().filter(|step| is_failed(step));
        let failed: Vec<String> = failed.map(|step| name(step, "/name")).take(3).collect();
        let failed = if failed.is_empty() {
            String::new()
        } else {
            format!("failed in {}", failed.join(", "))
        };
        let title = one_line(text(job, "/name"), MAX_TITLE_CHARS);
        row([
            &*format!("job {} {title}", count(job, "/id")),
            &*outcome(job),
            &*failed,
        ])
    });
    let listing = Listing {
        one: if failed_only { "failed job" } else { "job" },
        many: if failed_only { "failed jobs" } else { "jobs" },
        of: format!("of the run {run} of {repository}"),
        page,
        has_next,
        total: None,
        rows: rows.collect(),
    };
    Ok(listing.render(api.cx))
}

/// Shows the ends of the logs of the jobs, which share the room.
async fn logs(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    failed_only: bool,
    tail: usize,
) -> Result<String, ToolError> {
    let (value, _) = jobs_of(api, repository, run, 1).await?;
    let jobs = items(&value, "/jobs")
        .iter()
        .filter(|job| !failed_only || is_failed(job));
    let jobs: Vec<&Value> = jobs.collect();
    let shown = jobs.len().min(MAX_LOGS);
    let which = if failed_only { "failed jobs" } else { "jobs" };
    let mut text = format!(
        "the logs of {shown} of {} {which} of the run {run} of {repository}",
        jobs.len()
    );
    let room = (api.cx.result_budget().saturating_sub(1_000) / shown.max(1)).max(400);
    for job in jobs.into_iter().take(MAX_LOGS) {
        let id = count(job, "/id");
        let endpoint = repository.endpoint(["actions", "jobs", &*id.to_string(), "logs"]);
        let title = format!("\n\n=== job {id} {} · {}", name(job, "/name"), outcome(job));
        text.push_str(&title);
        // A log may be gone, or not there yet, which says nothing of the others.
        match api
            .get_log(&endpoint, &format!("the log of the job {id}"))
            .await
        {
            Err(ToolError::Cancelled(stop)) => return Err(ToolError::Cancelled(stop)),
            Err(error) => text.push_str(&format!("\n{error}")),
            Ok(answer) => {
                let log = String::from_utf8_lossy(&answer.body);
                let (lines, total) = log_tail(&log, tail);
                let lines = last_that_fit(lines, room);
                text.push_str(&format!(
                    " · the last {} of {total} lines\n{}",
                    lines.len(),
                    lines.join("\n")
                ));
            }
        }
    }
    Ok(text)
}

/// Keeps the last lines that there is room for.
fn last_that_fit(lines: Vec<String>, room: usize) -> Vec<String> {
    let mut used = 0;
    let fits = |line: &&String| {
        used += line.chars().count() + 1;
        used <= room
    };
    let number = lines.iter().rev().take_while(fits).count();
    let skipped = lines.len() - number;
    lines.into_iter().skip(skipped).collect()
}
