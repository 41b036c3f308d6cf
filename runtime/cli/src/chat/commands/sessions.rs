//! The commands on sessions.

use std::io::Write as _;

use crate::chat::conversation::Chat;
use crate::chat::editor::{EditorInput, InitialInput, LineEditor};
use crate::chat::printing::print_hint;
use crate::session_export::DocumentFormat;
use crate::session_table;
use helve_agent::session::{SessionError, SessionSummary};
use helve_core::transcript::SessionId;
use helve_terminal::screen::{Line, Size, theme};
use helve_terminal::{output, sanitize};

const MAX_SESSIONS: usize = 10;

/// Lists the most recent sessions of the folder.
async fn list(chat: &Chat<'_>) -> Result<Vec<SessionSummary>, SessionError> {
    let here = chat.app.folder_text();
    let mut sessions = chat.sessions.list().await?;
    sessions.retain(|session| session.folder.as_ref() == Some(&here) && session.job.is_none());
    sessions.truncate(MAX_SESSIONS);
    Ok(sessions)
}

/// The width from which a table has space for the titles.
const TABLE_WIDTH: usize = 80;

/// Prints the table of sessions, each with its number if they are to be chosen from.
fn print_table(sessions: &[SessionSummary], is_numbered: bool) {
    let width = Size::of_stdout().columns;
    if width < TABLE_WIDTH {
        return print_narrow_list(sessions, is_numbered, width);
    }
    let table = Line::from_text(&session_table::table(sessions), theme::PLAIN);
    let rows = table.iter().enumerate().map(|(index, line)| {
        let number = format!("{:>2}  ", index + 1);
        match is_numbered {
            true => line.prefixed(&number, theme::NAME).truncated(width),
            false => line.truncated(width),
        }
    });
    output::lines(&rows.collect::<Vec<_>>());
}

/// Prints two lines for each session: its title, and its id.
fn print_narrow_list(sessions: &[SessionSummary], is_numbered: bool, width: usize) {
    let mut lines = Vec::new();
    for (index, session) in sessions.iter().enumerate() {
        let title = session.problem.as_ref().or(session.title.as_ref());
        let title = sanitize::first_line(title.map_or("untitled session", |title| title), 100);
        let number = format!("{:>2}  ", index + 1);
        let line = Line::styled(&title, theme::PLAIN);
        lines.push(match is_numbered {
            true => line.prefixed(&number, theme::NAME).truncated(width),
            false => line.truncated(width),
        });
        let id = format!("    {}", session.session);
        lines.push(Line::styled(&id, theme::DIM).truncated(width));
    }
    output::lines(&lines);
}

pub(super) async fn print_sessions(chat: &Chat<'_>) {
    match list(chat).await {
        Ok(sessions) if sessions.is_empty() => print_hint("this folder has no sessions"),
        Ok(sessions) => {
            print_table(&sessions, false);
            print_hint("continue a session with /resume ID");
        }
        Err(error) => output::error(&error),
    }
}

/// Continues the session of an id, or one that the user chooses from a list.
pub(super) async fn resume(chat: &mut Chat<'_>, editor: &LineEditor, id: &str) {
    let id = if id.is_empty() {
        match choose(chat, editor).await {
            Some(id) => id,
            None => return,
        }
    } else {
        SessionId::from(id)
    };
    if let Err(error) = chat.open_session(&id).await {
        return output::error(&error);
    }
    if let Some(open) = chat.open_turn() {
        chat.offer_resume(editor, &open).await;
    }
}

async fn choose(chat: &Chat<'_>, editor: &LineEditor) -> Option<SessionId> {
    let sessions = match list(chat).await {
        Ok(sessions) => sessions,
        Err(error) => {
            output::error(&error);
            return None;
        }
    };
    if sessions.is_empty() {
        print_hint("this folder has no sessions");
        return None;
    }
    print_table(&sessions, true);
    let question = Line::styled("Which session? ", theme::PLAIN)
        .with(&format!("[1-{}] ", sessions.len()), theme::DIM);
    let EditorInput::Line(line) = editor
        .read_line(question, InitialInput::default(), false)
        .await
    else {
        return None;
    };
    let number: Option<usize> = line.trim().parse().ok();
    let chosen = number.and_then(|number| sessions.get(number.checked_sub(1)?));
    if chosen.is_none() {
        print_hint("no session was chosen");
    }
    chosen.map(|session| session.session.clone())
}

/// Writes the conversation to a new file, in the format of its extension: `.json`, `.html`, `.txt`, or else Markdown.
pub(super) async fn export(chat: &Chat<'_>, file: &str) {
    let Some(id) = chat.conversation_id() else {
        return print_hint("there is nothing to export");
    };
    let name = match file {
        "" => format!("session-{id}.md"),
        name => name.to_owned(),
    };
    let format = DocumentFormat::of_file(&name);
    let text = match format.export(&chat.sessions, id).await {
        Ok(text) => text,
        Err(error) => return output::error(&error),
    };
    let path = chat.app.folder.join(&name);
    let created = std::fs::File::create_new(&path);
    match created.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => print_hint(&format!("the conversation is in {name}")),
        Err(error) => print_hint(&format!("failed to write `{name}`: {error}")),
    }
}
