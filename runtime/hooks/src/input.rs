//! The JSON that hooks receive on standard input, in the form of Claude Code.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::event::HookEvent;
use helve_core::tool::ToolResult;
use helve_core::transcript::{Origin, SessionId};

/// What hooks learn about the session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSession {
    /// The id of the session.
    pub id: String,
    /// The journal of the session; empty if there is none.
    pub transcript: String,
    /// The permission mode, by its name in helve.
    pub mode: String,
}

impl HookSession {
    /// Creates a description without an id; its fields are public.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// The maximum length of the result of a tool that hooks receive, in characters.
const MAX_RESPONSE_CHARS: usize = 100_000;

/// The turn that an event is about.
#[derive(Clone, Copy)]
pub(crate) struct EventTurn<'a> {
    /// The session, which is that of a job where a job works; empty outside of one.
    pub(crate) session: &'a SessionId,
    pub(crate) origin: &'a Origin,
}

/// Creates the input of an event.
pub(crate) fn base(
    event: HookEvent,
    session: &HookSession,
    project: &Path,
    turn: Option<EventTurn<'_>>,
) -> Map<String, Value> {
    let mut input = Map::new();
    let mut set = |name: &str, value: Value| input.insert(name.to_owned(), value);
    let other = turn.map(|turn| turn.session.as_str());
    let other = other.filter(|id| !id.is_empty() && *id != session.id);
    let transcript = match other {
        // The journals are side by side.
        Some(id) if !session.transcript.is_empty() => {
            let path = Path::new(&session.transcript).with_file_name(format!("{id}.jsonl"));
            path.to_string_lossy().into_owned()
        }
        Some(_) => String::new(),
        None => session.transcript.clone(),
    };
    set("session_id", other.unwrap_or(&session.id).into());
    set("transcript_path", transcript.into());
    set("cwd", project.to_string_lossy().into());
    set("permission_mode", mode_of_claude(&session.mode).into());
    set("hook_event_name", event.name().into());
    if let Some(EventTurn { origin, .. }) = turn {
        set("prompt_id", origin.turn.as_str().into());
        if origin.parent_call.is_some() {
            set("agent_id", origin.turn.as_str().into());
            set("agent_type", origin.agent.as_str().into());
        }
    }
    input
}

fn mode_of_claude(mode: &str) -> &'static str {
    match mode {
        "accept_edits" => "acceptEdits",
        "explore" | "plan" => "plan",
        "bypass" => "bypassPermissions",
        "dont_ask" => "dontAsk",
        _ => "default",
    }
}

/// Returns the result of a call as hooks receive it.
pub(crate) fn tool_response(name: &str, input: &Value, result: &ToolResult) -> Value {
    let text = match result {
        Ok(output) => output.text().into_owned(),
        Err(error) => return error.to_string().into(),
    };
    let text = helve_core::support::text::truncate(&text, MAX_RESPONSE_CHARS);
    match name {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false }),
        "Edit" | "Write" => {
            json!({ "filePath": input["file_path"], "success": true, "content": text })
        }
        _ => json!({ "content": text }),
    }
}
