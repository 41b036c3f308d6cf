//! The tools with which a model follows its jobs.

use std::sync::Arc;

use serde_json::{Value, json};

use helve_core::tool::{Annotations, Tool, ToolContext, ToolError, ToolOutput, ToolResult};
use helve_core::toolset::{DynamicTool, Toolset};
use helve_core::transcript::SessionId;

use crate::error::JobError;
use crate::job::{Job, JobStatus};
use crate::jobs::Jobs;

impl Jobs {
    /// Returns the tools `job_list`, `job_result`, `job_say` and `job_stop`, with which a model sees the jobs below the root
    /// of its session, and no others.
    #[must_use]
    pub fn toolset(&self) -> Toolset {
        let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let name = || {
            json!({
                "type": "object",
                "properties": { "job": { "type": "string", "description": "The name of the job." } },
                "required": ["job"],
                "additionalProperties": false,
            })
        };
        let say = json!({
            "type": "object",
            "properties": {
                "job": {
                    "type": "string",
                    "description": "The name of the job; without it, you write to the agent that started your own job.",
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
    Ok(ToolOutput::plain(lines.join("\n")))
}

async fn job_result(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let name = name(&arguments);
    let job = jobs.find(&name, Some(context.session_id())).await;
    let job = job.map_err(|error| failed(&error))?;
    let line = describe(&job);
    match job.status {
        JobStatus::Done => Ok(ToolOutput::plain(job.text).with_label(&job.label)),
        status if status.is_over() => {
            let end = job.end.map_or_else(String::new, |end| format!(": {end}"));
            let error = job
                .error
                .map_or_else(String::new, |error| format!(": {error}"));
            let text = format!("{line}{end}{error}\nIts last message: {}", job.text);
            Ok(ToolOutput::plain(text).with_label(&job.label))
        }
        _ => Ok(ToolOutput::plain(format!(
            "{line}\nIt is not over yet; a note will say when it is."
        ))),
    }
}

async fn stop_job(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let name = name(&arguments);
    let stopping = jobs.stop(&name, Some(context.session_id()));
    stopping.await.map_err(|error| failed(&error))?;
    Ok(ToolOutput::plain(format!("The job `{name}` stops.")))
}

async fn say_to_job(jobs: Jobs, context: ToolContext, arguments: Value) -> ToolResult {
    let text = arguments["text"].as_str().unwrap_or_default();
    let from = context.session_id();
    let to = arguments["job"].as_str().map(SessionId::from);
    let to = jobs
        .say(from, to.as_ref(), text)
        .await
        .map_err(|error| failed(&error))?;
    Ok(ToolOutput::plain(format!(
        "`{to}` reads it before its next step."
    )))
}

fn name(arguments: &Value) -> SessionId {
    SessionId::from(arguments["job"].as_str().unwrap_or_default())
}

/// Describes a job in a line.
fn describe(job: &Job) -> String {
    let label = job
        .origin
        .label
        .as_deref()
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
