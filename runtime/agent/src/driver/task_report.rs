//! The report about a task, and what the model reads of it.

use serde_json::Value;

use super::report::TurnReport;
use crate::answer_format::describe_mistake;
use crate::turn::{EndReason, Totals};
use helve_core::schema::Mistakes;
use helve_core::tool::{ToolError, ToolOutput, ToolResult};
use helve_core::transcript::{AgentId, CallAddress, Origin};

/// The report about a task, and the turns that have worked on it.
pub(super) struct TaskReport {
    /// The agent.
    pub(super) agent: AgentId,
    /// The report of the last turn, with the totals of all of them.
    pub(super) report: TurnReport,
    /// The turns, in order.
    pub(super) turns: Vec<TaskTurnEnd>,
    /// The value of the answer, or the mistakes in it; `None` if the agent answers with text.
    pub(super) value: Option<Result<Value, Mistakes>>,
}

/// The end of one turn that has worked on a task.
pub(super) struct TaskTurnEnd {
    pub(super) origin: Origin,
    pub(super) reason: Option<EndReason>,
    pub(super) error: Option<String>,
    pub(super) totals: Totals,
}

impl TaskTurnEnd {
    pub(super) fn new(origin: Origin, report: &TurnReport) -> Self {
        Self {
            origin,
            reason: report.end(),
            error: report.error.clone(),
            totals: report.totals,
        }
    }
}

impl TaskReport {
    /// Returns the result of the call for the model; `address` is stated if the task has a name.
    pub(super) fn result(&self, reason: EndReason, address: Option<&CallAddress>) -> ToolResult {
        let text = self.report.text();
        let mistakes = match &self.value {
            _ if reason != EndReason::Finished => return Err(self.unfinished(reason, address)),
            None => return Ok(with_address(ToolOutput::plain(text), address)),
            Some(Ok(value)) => return Ok(with_address(ToolOutput::json(value)?, address)),
            Some(Err(mistakes)) => mistakes.iter().map(describe_mistake).collect::<Vec<_>>(),
        };
        let mut message = format!(
            "The answer of the agent does not have the required format: {}. Its last message: {text}",
            mistakes.join("; ")
        );
        push_address(&mut message, address);
        Err(ToolError::failed(message))
    }

    fn unfinished(&self, reason: EndReason, address: Option<&CallAddress>) -> ToolError {
        let (report, text) = (&self.report, self.report.text());
        let mut message = format!("The agent did not finish: {reason}");
        if let Some(error) = &report.error {
            message.push_str(&format!(": {error}"));
        }
        message.push_str(&format!(" (used: {})", describe_totals(&report.totals)));
        if !text.is_empty() {
            message.push_str(&format!(". Its last message: {text}"));
        }
        push_address(&mut message, address);
        ToolError::failed(message)
    }
}

fn describe_totals(totals: &Totals) -> String {
    let count = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let mut parts = vec![
        count(totals.model_calls.into(), "model call"),
        count(totals.tool_calls.into(), "tool call"),
        count(totals.tokens(), "token"),
    ];
    if !totals.cost.is_zero() {
        parts.push(totals.cost.to_string());
    }
    parts.join(", ")
}

fn with_address(output: ToolOutput, address: Option<&CallAddress>) -> ToolOutput {
    match address {
        Some(address) => output.with_note(address_note(address)),
        None => output,
    }
}

fn push_address(message: &mut String, address: Option<&CallAddress>) {
    if let Some(address) = address {
        message.push_str(&format!("\n\n{}", address_note(address)));
    }
}

fn address_note(address: &CallAddress) -> String {
    format!("The address of the task is `{address}`.")
}
