//! `session_read`: reads a past session.

use helve::prelude::*;
use helve::session_search::{SessionSearch, Transcript, TranscriptPage};
use helve::transcript::{Label, SessionId};

use crate::text::{failed, minute};

/// Reads the messages of a past session, or of one turn of it: prompts, replies, calls and results.
///
/// `session_search` returns the names of sessions and turns. Long texts are cut.
#[tool(
    read_only,
    title = "Read a past session",
    max_result_chars = 40_000,
    examples = [r#"{"session": "20261102-101400-3f9a", "turn": "t3"}"#]
)]
pub async fn session_read(
    /// The session.
    #[arg(min_len = 1, example = "20261102-101400-3f9a")]
    session: &str,
    /// Only this turn.
    turn: Option<&str>,
    /// How many messages to leave out before the first one.
    #[arg(default = 0)]
    offset: usize,
    /// How many messages to return.
    #[arg(default = 20, min = 1, max = 200)]
    limit: usize,
    search: &SessionSearch,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let mut page = TranscriptPage::new(limit).principal(cx.principal().clone());
    page.offset = offset;
    if let Some(turn) = turn {
        page = page.turn(turn);
    }
    let session = SessionId::from(session);
    let read = search.read(&session, &page).await;
    let transcript = read.map_err(|error| failed(&error))?;
    Ok(report(&transcript, &page))
}

fn report(transcript: &Transcript, page: &TranscriptPage) -> ToolOutput {
    // Whatever a session says is private to its user.
    let mut label = Label::workspace();
    let shown = transcript.messages.len();
    let end = page.offset + shown;
    let mut text = format!("Session {}", transcript.session);
    if let Some(created) = transcript.created {
        text.push_str(&format!(", {}", minute(created)));
    }
    if let Some(folder) = &transcript.folder {
        text.push_str(&format!(", in {folder}"));
    }
    let of = page
        .turn
        .as_ref()
        .map_or_else(String::new, |turn| format!(" of the turn {turn}"));
    text.push_str(&match shown {
        0 => format!(
            ": there are {} messages{of}, and none after number {}",
            transcript.total, page.offset
        ),
        _ => format!(
            ": messages {} to {end} of {}{of}",
            page.offset + 1,
            transcript.total
        ),
    });
    if shown > 0 && end < transcript.total {
        text.push_str(&format!("; read on with `offset`: {end}"));
    }
    for message in &transcript.messages {
        label.join(&message.label);
        let (at, role) = (minute(message.at), message.role.name());
        text.push_str(&format!(
            "\n\n[{role}, {at}, turn {}]\n{}",
            message.turn,
            message.text.trim_end()
        ));
    }
    ToolOutput::plain(text).with_label(&label)
}
