//! The tools with which a model follows its jobs.

use std::sync::Arc;

use serde_json::{Value, json};

use helve_core::tool::{Annotations, Tool, ToolContext, ToolError, ToolOutput, ToolResult};
use helve_core::toolset::{DynamicTool, Toolset};
use helve_core::transcript::{Label, SessionId};

use crate::error::JobError;
use crate::job::{Job, JobStatus};
use crate::jobs::Jobs;

/// What stands for all jobs.
const ALL: &str = "all";

impl Jobs {
    /// Returns the tools `job_list`, `job_result`, `job_say` and `job_stop`, with which a model sees the jobs below the root
    /// of its session, and no others.
    #[must_use]
    pub fn toolset(&self) -> Toolset {
        let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let name = || {
            json!({
                "type": "object",
                "properties": { "job": { "type": "string", "description": "The name of the job, or its label." } },
                "required": ["job"],
                "additionalProperties": false,
            })
        };
        let say = json!({
            "type": "object",
            "properties": {
                "job": {
                    "type": "string",
                    "description": "The name or the label of the job, or `all` for all that are not over; without it, you \
                                    write to the agent that started your own job.",
                },
                "text": { "type": "string", "description": "The message." },
            },
            "required": ["text"],
            "additionalProperties": false,
        });
        let [list, result, stop, saying] = [(); 4].map(|()| self.clone());
        let tools = [
            DynamicTool::new(
                "job_list",
                "Lists the jobs in the background that you and the agents of this session have started.",
                nothing,
                move |context, _| Box::pin(list_jobs(list.clone(), context.clone())),
            ),
            DynamicTool::new(
                "job_result",
                "Returns the answer of a job in the background, or how far it is.",
                name(),
                move |context, arguments| {
                    Box::pin(job_result(result.clone(), context.clone(), arguments))
                },
            ),
            DynamicTool::new(
                "job_say",
                "Says something to the agent of a job, which reads it before its next step.",
                say,
                move |context, arguments| {
                    Box::pin(say_to_job(saying.clone(), context.clone(), arguments))
                },
            ),
            DynamicTool::new(
                "job_stop",
                "Stops a job in the background, and the jobs that it has started.",
                name(),
                move |context, arguments| {
                    Box::pin(stop_job(stop.clone(), context.clone(), arguments))
                },
            ),
        ];
        // The names and the schemas are fixed, so that each tool can be created. Stopping a job has no effect but that.
        let read_only = Annotations::new(Some(true), None, None, Some(false));
        let tools = tools.into_iter().flatten();
        Toolset::from_tools(
            tools.map(|tool| Arc::new(tool.with_annotations(read_only)) as Arc<dyn Tool>),
        )
    }
}

async fn list_jobs(jobs: Jobs, context: ToolContext) -> ToolResult {
    let list = jobs.list(Some(context.session_id())).await;
    let list = list.map_err(|error| failed(&error))?;
    if list.is_empty() {
        return Ok(ToolOutput::plain("There are no jobs."));
    }
    let lines: Vec<String> = list.iter().map(describe).collect();
    let mut label = Label::default();
    list.iter().for_each(|job| label.join(&job.label));
    Ok(labelled_output(&lines.join("\n"), "job_list", &label))
}

/// Returns what is said about jobs whose agents have read what the label says. Untrusted text is enclosed.
fn labelled_output(text: &str, tool: &str, label: &Label) -> ToolOutput {
    let text = match label.is_untrusted() {
        true => helve_untrusted::wrap(text, tool, "jobs"),
        false => text.to_owned(),
    };
    ToolOutput::plain(text).with_label(label)
}

async fn job_result(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let name = find_name(&jobs, &context, &arguments).await?;
    let job = jobs
        .find(&name, None)
        .await
        .map_err(|error| failed(&error))?;
    let line = describe(&job);
    let text = match job.status {
        JobStatus::Done => job.text,
        status if status.is_over() => {
            let end = job.end.map_or_else(String::new, |end| format!(": {end}"));
            let error = job
                .error
                .map_or_else(String::new, |error| format!(": {error}"));
            format!("{line}{end}{error}\nIts last message: {}", job.text)
        }
        _ => format!("{line}\nIt is not over yet; a note will say when it is."),
    };
    Ok(labelled_output(&text, "job_result", &job.label))
}

async fn stop_job(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let name = find_name(&jobs, &context, &arguments).await?;
    jobs.stop(&name, None)
        .await
        .map_err(|error| failed(&error))?;
    Ok(ToolOutput::plain(format!("The job `{name}` stops.")))
}

async fn say_to_job(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let text = arguments["text"].as_str().unwrap_or_default();
    let from = context.session_id();
    if arguments["job"] == ALL {
        return say_to_all(&jobs, from, text).await;
    }
    let to = match arguments["job"].is_null() {
        true => None,
        false => Some(find_name(&jobs, &context, &arguments).await?),
    };
    let to = jobs
        .say(from, to.as_ref(), text)
        .await
        .map_err(|error| failed(&error))?;
    Ok(ToolOutput::plain(format!(
        "`{to}` reads it before its next step."
    )))
}

/// Says something to all jobs of the root that are not over, but not to the one that says it.
async fn say_to_all(jobs: &Jobs, from: &SessionId, text: &str) -> ToolResult {
    let list = jobs
        .list(Some(from))
        .await
        .map_err(|error| failed(&error))?;
    let live = list.iter().filter(|job| !job.status.is_over());
    let mut names = Vec::new();
    for job in live.filter(|job| job.name != *from) {
        match jobs.say(from, Some(&job.name), text).await {
            // It has just ended.
            Err(JobError::Over { .. }) => {}
            told => names.push(format!("`{}`", told.map_err(|error| failed(&error))?)),
        }
    }
    Ok(ToolOutput::plain(match names.is_empty() {
        true => "There is no other job that is not over.".to_owned(),
        false => format!(
            "These read it before their next step: {}.",
            names.join(", ")
        ),
    }))
}

/// Returns the name of the job that the arguments name, or give the label of.
async fn find_name(
    jobs: &Jobs,
    context: &ToolContext,
    arguments: &Value,
) -> Result<SessionId, ToolError> {
    let text = arguments["job"].as_str().unwrap_or_default();
    let found = jobs.resolve(text, context.session_id()).await;
    found.map_err(|error| failed(&error))
}

/// Describes a job in a line.
fn describe(job: &Job) -> String {
    let label = job
        .called()
        .map_or_else(String::new, |label| format!(" ({label})"));
    let waits = job.waiting.len();
    let waits = match waits {
        0 => String::new(),
        _ => format!(", waits for the user: {waits}"),
    };
    let calls = job.totals.model_calls;
    format!(
        "{} [{}]{label}, model calls: {calls}{waits}",
        job.name,
        job.status.name()
    )
}

fn failed(error: &JobError) -> ToolError {
    ToolError::failed(error.to_string())
}
