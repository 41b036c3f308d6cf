//! What happened in a case.

use std::collections::BTreeMap;
use std::path::Path;

use helve_agent::turn::Totals;
use helve_agent::{AgentEvent, EventKind, TurnStatus};
use helve_core::transcript::{Label, Message};
use helve_model::ModelRequest;
use serde_json::Value;

use crate::conversation_match::content_text;

/// What happened in a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct CaseRun {
    /// The status of the last turn.
    pub status: Option<TurnStatus>,
    /// The text of the last reply.
    pub text: String,
    /// The error of the last turn.
    pub error: Option<String>,
    /// The label of the conversation.
    pub label: Label,
    /// The calls of all agents, in the order of their events.
    pub calls: Vec<ObservedCall>,
    /// The calls about which an approver was asked.
    pub asked: Vec<ObservedCall>,
    /// The events.
    pub events: Vec<AgentEvent>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// What the turns of the session consumed.
    pub totals: Totals,
    /// The requests to each model.
    pub requests: BTreeMap<String, Vec<ModelRequest>>,
    /// What went wrong with the case itself, and the invariants that do not hold.
    pub problems: Vec<String>,
}

/// A call that an agent made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ObservedCall {
    /// The address.
    pub address: String,
    /// The agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The arguments; a text where they are not JSON.
    pub arguments: Value,
    /// What the model reads back; `None` for a call without a result.
    pub result: Option<String>,
    /// Whether the call failed or did not run.
    pub is_error: bool,
}

impl ObservedCall {
    pub(crate) fn describe(&self) -> String {
        format!("{}: {} {}", self.agent, self.tool, self.arguments)
    }

    fn new(event: &AgentEvent, tool: &str, arguments: &str) -> Self {
        let address = event.key.as_ref().map(ToString::to_string);
        let arguments = serde_json::from_str(arguments);
        Self {
            address: address.unwrap_or_default(),
            agent: event.origin.agent.to_string(),
            tool: tool.to_owned(),
            arguments: arguments.unwrap_or_else(|_| Value::from("not JSON")),
            result: None,
            is_error: false,
        }
    }
}

/// Returns the calls that events tell, and the calls about which was asked.
pub(crate) fn observed_calls(events: &[AgentEvent]) -> (Vec<ObservedCall>, Vec<ObservedCall>) {
    let mut calls: Vec<ObservedCall> = Vec::new();
    let mut asked = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::ToolCall {
                name, arguments, ..
            } => {
                let call = ObservedCall::new(event, name, arguments.as_ref());
                match calls.iter_mut().find(|other| other.address == call.address) {
                    Some(other) => *other = call,
                    None => calls.push(call),
                }
            }
            EventKind::ToolResult {
                content, is_error, ..
            } => {
                let address = event.key.as_ref().map(ToString::to_string);
                let call = calls
                    .iter_mut()
                    .find(|call| Some(&call.address) == address.as_ref());
                if let Some(call) = call {
                    call.result = Some(content_text(content));
                    call.is_error = *is_error;
                }
            }
            EventKind::Asked {
                name, arguments, ..
            } => asked.push(ObservedCall::new(event, name, arguments.as_ref())),
            _ => {}
        }
    }
    (calls, asked)
}

impl CaseRun {
    /// Returns how the last turn ended: the reason, `waiting` or `unrecorded`.
    #[must_use]
    pub fn end(&self) -> String {
        match &self.status {
            Some(TurnStatus::Ended(reason)) => match serde_json::to_value(reason) {
                Ok(Value::String(reason)) => reason,
                _ => reason.to_string(),
            },
            Some(TurnStatus::Waiting { .. }) => "waiting".to_owned(),
            Some(_) => "unrecorded".to_owned(),
            None => "no turn".to_owned(),
        }
    }

    /// Returns what happened, in lines for people.
    pub(crate) fn describe(&self) -> String {
        let mut lines = Vec::new();
        for call in &self.calls {
            let result = call.result.as_deref().unwrap_or("no result");
            let mark = if call.is_error { "!" } else { "" };
            lines.push(format!("{} → {mark}{result}", call.describe()));
        }
        let text = &self.text;
        lines.push(format!("end: {}, text: {text}", self.end()));
        lines.extend(self.error.as_ref().map(|error| format!("error: {error}")));
        lines.join("\n")
    }

    /// Returns what a file of the case holds; `None` if there is none.
    pub(crate) fn read_file(folder: &Path, path: &str) -> Option<String> {
        let bytes = std::fs::read(folder.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
