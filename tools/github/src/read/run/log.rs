//! The ends of the logs of jobs.

use helve::prelude::*;
use serde_json::Value;

use super::{RunJobs, RunWanted, find_jobs, name, outcome};
use crate::client::Api;
use crate::repository::RepositoryName;
use crate::text::log_tail;
use crate::value::count;

/// The most jobs whose logs are shown at once.
const MAX_LOGS: usize = 5;

/// Reads a job.
pub(super) async fn job(
    api: &Api<'_>,
    repository: &RepositoryName,
    id: u64,
) -> Result<Value, ToolError> {
    let endpoint = repository.endpoint(["actions", "jobs", &*id.to_string()]);
    let what = format!("the job {id} of {repository}");
    api.read(&endpoint, &what).await
}

/// Shows the ends of the logs of a page of the jobs, or of one job. They share the room.
pub(super) async fn show(
    api: &Api<'_>,
    repository: &RepositoryName,
    run: u64,
    wanted: &RunWanted,
    job: Option<Value>,
) -> Result<String, ToolError> {
    let (mut text, jobs) = match job {
        Some(job) => {
            let id = count(&job, "/id");
            let line = format!("the log of the job {id} of the run {run}");
            (format!("{line} of {repository}"), vec![job])
        }
        None => {
            let found = find_jobs(api, repository, run, wanted.failed_only).await?;
            let line = first_line(repository, run, wanted, &found);
            let jobs = found.jobs.into_iter().skip((wanted.page - 1) * MAX_LOGS);
            (line, jobs.take(MAX_LOGS).collect())
        }
    };
    let room = (api.cx.result_budget().saturating_sub(1_000) / jobs.len().max(1)).max(400);
    for job in &jobs {
        text.push_str(&show_one(api, repository, job, wanted.tail, room).await?);
    }
    Ok(text)
}

/// Says how many logs of how many are shown, and how to go on.
fn first_line(
    repository: &RepositoryName,
    run: u64,
    wanted: &RunWanted,
    found: &RunJobs,
) -> String {
    let page = wanted.page;
    let total = found.jobs.len();
    let before = (page - 1).saturating_mul(MAX_LOGS);
    let shown = total.saturating_sub(before).min(MAX_LOGS);
    let which = if wanted.failed_only {
        "failed jobs"
    } else {
        "jobs"
    };
    let mut line = match (total, shown) {
        (0, _) => format!("no {which} of the run {run} of {repository}"),
        (_, 0) => {
            format!("no logs on page {page}: the run {run} of {repository} has {total} {which}")
        }
        _ => format!("the logs of {shown} of {total} {which} of the run {run} of {repository}"),
    };
    if page > 1 && shown > 0 {
        line = format!("{line}, page {page}");
    }
    if before + shown < total {
        line = format!("{line}; more with `page` {}", page + 1);
    }
    if found.remark.is_empty() {
        return line;
    }
    format!("{line}; {}, and `job` names another one", found.remark)
}

/// Shows the end of the log of a job.
async fn show_one(
    api: &Api<'_>,
    repository: &RepositoryName,
    job: &Value,
    tail: usize,
    room: usize,
) -> Result<String, ToolError> {
    let id = count(job, "/id");
    let endpoint = repository.endpoint(["actions", "jobs", &*id.to_string(), "logs"]);
    let title = format!("\n\n=== job {id} {} · {}", name(job, "/name"), outcome(job));
    // A log may be gone, or not there yet, which says nothing of the others.
    let what = format!("the log of the job {id}");
    match api.get_log(&endpoint, &what).await {
        Err(ToolError::Cancelled(stop)) => Err(ToolError::Cancelled(stop)),
        Err(error) => Ok(format!("{title}\n{error}")),
        Ok(answer) => {
            let log = String::from_utf8_lossy(&answer.body);
            let (lines, total) = log_tail(&log, tail);
            let lines = last_that_fit(lines, room);
            let number = lines.len();
            Ok(format!(
                "{title} · the last {number} of {total} lines\n{}",
                lines.join("\n")
            ))
        }
    }
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
