//! `sessions show`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use super::arguments::session_id;
use crate::app_context::AppContext;
use crate::session_table::minute;
use helve_agent::Delivery;
use helve_agent::session::{
    AwaitedInput, History, Posting, ReceivedPosting, SessionError, Sessions, WaitingCall,
};
use helve_agent::turn::Turn;
use helve_core::transcript::{Note, SessionId};
use helve_permission::Rule;
use helve_terminal::{output, sanitize};

/// The maximum length of the arguments of a call, in characters.
const MAX_ARGUMENT_CHARS: usize = 200;

pub(super) async fn run(
    sessions: &Sessions,
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let id = session_id(matches);
    let history = sessions.read(&id).await?;
    let said = unread_notes(sessions.postings(&id).await?);
    if matches.get_flag("json") {
        output::line(&render_json(&id, &history, &said));
    } else {
        output::print(&render_text(&id, &history, &said, app.binary()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns what was said to the agent, and is not recorded yet.
fn unread_notes(posted: Vec<ReceivedPosting>) -> Vec<(Note, Delivery)> {
    let posted = posted.into_iter().map(|posted| posted.posting);
    let said = posted.filter_map(|posting| match posting {
        Posting::Say { note, delivery } => Some((note, delivery)),
        _ => None,
    });
    said.collect()
}

fn render_json(id: &SessionId, history: &History, said: &[(Note, Delivery)]) -> String {
    let standing = &history.session_state;
    let open = |turn: &Turn| {
        json!({
            "agent": turn.origin().agent,
            "turn": turn.origin().turn,
            "round": turn.round(),
            "totals": turn.totals(),
        })
    };
    let shown = json!({
        "session": id,
        "about": standing.metadata,
        "created": standing.created,
        "updated": standing.updated,
        "title": standing.title,
        "entries": standing.seq,
        "turns": standing.turns,
        "messages": history.messages.len(),
        "open": standing.open_turns.iter().map(open).collect::<Vec<_>>(),
        "waiting": standing.waiting_calls().iter().map(waiting_json).collect::<Vec<_>>(),
        "allow": standing.allow,
        "deny": standing.deny,
        "artifacts": history.artifacts,
    });
    let mut shown = shown;
    if !said.is_empty() {
        let said = said.iter();
        let said = said.map(|(note, delivery)| json!({ "note": note, "delivery": delivery }));
        shown["said"] = said.collect();
    }
    format!("{shown:#}")
}

/// Returns a waiting call as JSON, with the digest of its question.
pub(in crate::commands) fn waiting_json(waiting: &WaitingCall) -> Value {
    let mut json = json!(waiting);
    json["digest"] = json!(waiting.digest());
    json
}

fn render_text(
    id: &SessionId,
    history: &History,
    said: &[(Note, Delivery)],
    binary: &str,
) -> String {
    let standing = &history.session_state;
    let mut text = format!("{id}\n");
    if let Some(title) = &standing.title {
        text.push_str(&format!("{title}\n"));
    }
    text.push('\n');
    let mut row = |label: &str, value: String| text.push_str(&format!("{label:11} {value}\n"));
    if let Some(about) = &standing.metadata {
        row("app", about.app.clone());
        if let Some(folder) = &about.folder {
            row("folder", folder.clone());
        }
        if let Some(fork) = &about.forked_from {
            let entry = fork.entry;
            row("forked from", format!("{}, entry {entry}", fork.session));
        }
    }
    if let (Some(created), Some(updated)) = (standing.created, standing.updated) {
        row("created", minute(created));
        let updated = minute(updated);
        row("updated", format!("{updated} (entry {})", standing.seq));
    }
    row("messages", history.messages.len().to_string());
    let open = standing.open_turns.iter().map(Turn::origin);
    let open: Vec<_> = open
        .map(|origin| format!("{} of {}", origin.turn, origin.agent))
        .collect();
    let open = match open.is_empty() {
        true => String::new(),
        false => format!(" (open: {})", open.join(", ")),
    };
    row("turns", format!("{}{open}", standing.turns));
    for (label, rules) in [("allow", &standing.allow), ("deny", &standing.deny)] {
        if !rules.is_empty() {
            row(label, join(rules));
        }
    }
    for waiting in standing.waiting_calls() {
        text.push_str(&render_waiting(id, &waiting, binary));
    }
    for (note, delivery) in said {
        text.push_str(&render_said(id, note, *delivery, binary));
    }
    text
}

/// Renders what the agent has not read yet, with the command that takes it back.
fn render_said(id: &SessionId, note: &Note, delivery: Delivery, binary: &str) -> String {
    let Note { name, text, .. } = note;
    let message = &note.id;
    let text = sanitize::first_line(text, MAX_ARGUMENT_CHARS);
    let when = match delivery {
        Delivery::After => "with the next prompt",
        _ => "with the next model call",
    };
    let by = match name.is_empty() {
        true => String::new(),
        false => format!(", from {}", sanitize::first_line(name, 100)),
    };
    format!(
        "\n{message}  {text}\n  is read {when}{by}\n  {binary} sessions revoke {id} {message}\n"
    )
}

fn join(rules: &[Rule]) -> String {
    let rules: Vec<_> = rules.iter().map(Rule::to_string).collect();
    rules.join(", ")
}

/// Renders a waiting call with the command that answers it.
pub(super) fn render_waiting(id: &SessionId, waiting: &WaitingCall, binary: &str) -> String {
    let WaitingCall { call, tool, .. } = waiting;
    let arguments = sanitize::first_line(&waiting.arguments, MAX_ARGUMENT_CHARS);
    let (why, command) = match &waiting.awaited {
        AwaitedInput::Answer {
            reason,
            suggestions,
            ..
        } => {
            let always = match &suggestions[..] {
                [] => String::new(),
                rules => format!("; --always: {}", join(rules)),
            };
            (
                format!("needs approval: {reason}{always}"),
                format!("answer {id} {call} allow (or reject)"),
            )
        }
        AwaitedInput::Result => (
            "waits for an external result".to_owned(),
            format!("result {id} {call} JSON"),
        ),
    };
    format!("\n{call}  {tool} {arguments}\n  {why}\n  {binary} sessions {command}\n")
}
