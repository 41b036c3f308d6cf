//! `github_run`.

mod log;

use helve::prelude::*;
use serde_json::Value;

use super::pull_request::info;
use super::{MAX_TITLE_CHARS, name, output, row};
use crate::client::{Api, JSON};
use crate::endpoint::Endpoint;
use crate::listing::Listing;
use crate::lockdown::{Lockdown, WITHHELD};
use crate::origin::ReadTarget;
use crate::repository::RepositoryName;
use crate::settings::check_settings;
use crate::text::{day, one_line};
use crate::value::{count, items, login, number, sha, short_sha, text};

/// The items of a page of runs or jobs that are searched, and the most pages of them.
const PER_PAGE: usize = 100;
const MAX_PAGES: usize = 10;

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
/// Without `run` and `pr` the last runs are listed; `pr` stands for the runs of the last commit of a pull request. The logs
/// of a few jobs are shown at once: `page` shows those of the next ones, and `job` that of one.
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
    /// The id of the only job whose log is read, with `what` = "log".
    job: Option<u64>,
    /// The address of the run or of a job, in place of `repo`, `run` and `job`.
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
    /// The page of a list, or of the logs.
    #[arg(default = 1, min = 1, max = 1000)]
    page: usize,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    if job.is_some() && what != RunPart::Log {
        return Err(ToolError::failed("`job` needs `what` to be log"));
    }
    let api = Api::new(cx).await?;
    let target = ReadTarget::new(&api, repo, url).await?;
    let repository = &target.repository;
    let lockdown = Lockdown::new(&api, repository).await?;
    let job = job.or_else(|| named(&target, 4));
    let job = match job.filter(|_| what == RunPart::Log) {
        Some(job) => Some(log::job(&api, repository, job).await?),
        None => None,
    };
    let run = run_of(run.or_else(|| named(&target, 2)), job.as_ref())?;
    let found = match (run, pr) {
        (None, Some(pr)) if what != RunPart::Status => {
            Some(find_run(&api, repository, pr, failed_only).await?)
        }
        (run, _) => run,
    };
    let wanted = RunWanted {
        what,
        failed_only,
        tail,
        page,
    };
    let text = match found {
        None => list(&api, repository, pr, lockdown, page).await?,
        Some(id) => read_run(&api, repository, id, lockdown, &wanted, job).await?,
    };
    Ok(output(
        "github_run",
        api.host.page(&format!("{repository}/actions")),
        text,
    ))
}

/// What of a run is wanted.
struct RunWanted {
    what: RunPart,
    failed_only: bool,
    /// The number of the last lines of each log.
    tail: usize,
    page: usize,
}

async fn read_run(
    api: &Api<'_>,
    repository: &RepositoryName,
    id: u64,
    lockdown: Lockdown,
    wanted: &RunWanted,
    job: Option<Value>,
) -> Result<String, ToolError> {
    let endpoint = repository.endpoint(["actions", "runs", &*id.to_string()]);
    let what = format!("the run {id} of {repository}");
    let item = api.read(&endpoint, &what).await?;
    match wanted.what {
        _ if is_withheld(repository, &item, lockdown) => Ok(WITHHELD.to_owned()),
        RunPart::Status => Ok(format!("{repository} {}", run_row(api, repository, &item))),
        RunPart::Jobs => jobs(api, repository, id, wanted.failed_only, wanted.page).await,
        RunPart::Log => log::show(api, repository, id, wanted, job).await,
    }
}

/// Returns the run that the address names, which is its third segment, or the job, which is the fifth.
fn named(target: &ReadTarget, at: usize) -> Option<u64> {
    let rest = &target.page.as_ref()?.rest;
    let words = [(0, "actions"), (1, "runs"), (3, "job")];
    let is_fit = |(place, word): &(usize, &str)| *place > at || rest[*place] == *word;
    (rest.len() > at && words.iter().all(is_fit)).then(|| rest[at].parse().ok())?
}

/// Returns the run that a call names, or that of the job that it names.
fn run_of(run: Option<u64>, job: Option<&Value>) -> Result<Option<u64>, ToolError> {
    let Some(job) = job else {
        return Ok(run);
    };
    let unknown = || ToolError::failed("the answer of GitHub does not say of which run the job is");
    let own = number(job, "/run_id").ok_or_else(unknown)?;
    match run {
        Some(run) if run != own => Err(ToolError::failed(format!(
            "the job is one of the run {own}, and not of the run {run}"
        ))),
        _ => Ok(Some(own)),
    }
}

/// Returns the newest run of the last commit of a pull request; one that failed if only those are wanted.
async fn find_run(
    api: &Api<'_>,
    repository: &RepositoryName,
    pr: u64,
    failed_only: bool,
) -> Result<u64, ToolError> {
    let head = head_of(api, repository, pr).await?;
    let endpoint = repository.endpoint(["actions", "runs"]);
    let mut searched = "";
    for page in 1..=MAX_PAGES {
        let endpoint = endpoint.clone().page_of(page, PER_PAGE);
        let (runs, has_next) = runs_at(api, repository, endpoint, Some(&head)).await?;
        let mut runs = items(&runs, "/workflow_runs").iter();
        let found = runs.find(|run| !failed_only || is_failed(run));
        if let Some(id) = found.and_then(|run| number(run, "/id")) {
            return Ok(id);
        }
        if !has_next {
            searched = "";
            break;
        }
        searched = " among the newest 1000";
    }
    let which = if failed_only { "failed run" } else { "run" };
    Err(ToolError::failed(format!(
        "there is no {which} of the last commit of {repository}#{pr}{searched}"
    )))
}

/// Returns the id of the last commit of a pull request.
async fn head_of(api: &Api<'_>, repository: &RepositoryName, pr: u64) -> Result<String, ToolError> {
    let item = info(api, repository, pr).await?;
    let head = sha(&item, "/head/sha").map(str::to_owned);
    head.ok_or_else(|| ToolError::failed(format!("{repository}#{pr} has no commit any more")))
}

/// Reads a page of runs, of all commits or of one.
async fn runs_at(
    api: &Api<'_>,
    repository: &RepositoryName,
    endpoint: Endpoint,
    head: Option<&str>,
) -> Result<(Value, bool), ToolError> {
    let endpoint = match head {
        Some(head) => endpoint.with("head_sha", head),
        None => endpoint,
    };
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
    let head = match pr {
        Some(pr) => Some(head_of(api, repository, pr).await?),
        None => None,
    };
    let endpoint = repository.endpoint(["actions", "runs"]).page(page);
    let (value, has_next) = runs_at(api, repository, endpoint, head.as_deref()).await?;
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
    let endpoint = endpoint.with("filter", "latest").page_of(page, PER_PAGE);
    let answer = api
        .get(&endpoint, JSON, &format!("the jobs of the run {run}"))
        .await?;
    Ok((answer.value()?, answer.has_next))
}

/// The jobs of a run, or those of them that failed.
struct RunJobs {
    jobs: Vec<Value>,
    /// What is not among them; empty if nothing is left out.
    remark: String,
}

/// Finds the jobs of the last attempt.
async fn find_jobs(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    failed_only: bool,
) -> Result<RunJobs, ToolError> {
    let mut jobs = Vec::new();
    for page in 1..=MAX_PAGES {
        let (value, has_next) = jobs_of(api, repository, run, page).await?;
        let found = items(&value, "/jobs").iter();
        jobs.extend(found.filter(|job| !failed_only || is_failed(job)).cloned());
        if !has_next {
            let remark = String::new();
            return Ok(RunJobs { jobs, remark });
        }
    }
    let searched = MAX_PAGES * PER_PAGE;
    let remark = format!("only the first {searched} jobs of the run were searched");
    Ok(RunJobs { jobs, remark })
}

async fn jobs(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    failed_only: bool,
    page: usize,
) -> Result<String, ToolError> {
    let (found, has_next) = if failed_only {
        // Those that failed may be on any page of the API.
        let mut found = find_jobs(api, repository, run, true).await?;
        let before = found.jobs.len().min((page - 1) * PER_PAGE);
        found.jobs.drain(..before);
        let has_next = found.jobs.len() > PER_PAGE;
        found.jobs.truncate(PER_PAGE);
        (found, has_next)
    } else {
        let (value, has_next) = jobs_of(api, repository, run, page).await?;
        let jobs = items(&value, "/jobs").to_vec();
        let remark = String::new();
        (RunJobs { jobs, remark }, has_next)
    };
    let listing = Listing {
        one: if failed_only { "failed job" } else { "job" },
        many: if failed_only { "failed jobs" } else { "jobs" },
        of: format!("of the run {run} of {repository}"),
        page,
        has_next,
        total: None,
        rows: found.jobs.iter().map(job_row).collect(),
    };
    Ok(listing.render_with(api.cx, &found.remark))
}

fn job_row(job: &Value) -> String {
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
}
