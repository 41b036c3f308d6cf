//! `sessions waiting`: the calls of all sessions that wait for an answer or a result.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::json;

use super::show::{render_waiting, waiting_json};
use crate::app_context::AppContext;
use helve_agent::session::{SessionError, Sessions, WaitingSession};
use helve_terminal::output;

pub(super) async fn run(
    sessions: &Sessions,
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<ExitCode, SessionError> {
    let inbox = sessions.waiting().await?;
    if matches.get_flag("json") {
        let inbox: Vec<_> = inbox.iter().map(session_json).collect();
        output::json(&inbox);
    } else if inbox.is_empty() {
        output::line("nothing waits for an answer");
    } else {
        output::print(&render_text(&inbox, app.binary()));
    }
    Ok(ExitCode::SUCCESS)
}

fn session_json(session: &WaitingSession) -> serde_json::Value {
    let waiting: Vec<_> = session.waiting.iter().map(waiting_json).collect();
    json!({
        "session": session.session,
        "title": session.title,
        "folder": session.folder,
        "waiting": waiting,
    })
}

fn render_text(inbox: &[WaitingSession], binary: &str) -> String {
    let mut text = String::new();
    for session in inbox {
        let id = &session.session;
        let space = if text.is_empty() { "" } else { "\n" };
        let title = session.title.as_deref().unwrap_or_default();
        text.push_str(format!("{space}{id}  {title}").trim_end_matches(' '));
        text.push('\n');
        for waiting in &session.waiting {
            text.push_str(&render_waiting(id, waiting, binary));
        }
    }
    text
}
