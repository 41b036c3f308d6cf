//! `/rewind` and `/undo`: back to a message with the conversation, the files, or both.

#[cfg(feature = "files")]
mod files;

use crate::chat::conversation::{Chat, HistoryPosition, RewindPoint, Undo};
use crate::chat::editor::{EditorInput, InitialInput, LineEditor};
use crate::chat::printing::print_hint;
use helve_agent::session::SessionError;
use helve_core::transcript::SessionId;
use helve_terminal::render::counted;
use helve_terminal::screen::{Line, Size, theme};
use helve_terminal::{output, sanitize};

#[cfg(not(feature = "files"))]
use without_files as files;

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Conversation,
    Files,
    Both,
}

impl Scope {
    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "c" | "conversation" => Some(Self::Conversation),
            "f" | "files" => Some(Self::Files),
            "b" | "both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// Where the conversation goes back to.
enum Destination {
    /// Before a message.
    Before(RewindPoint),
    /// The session that a rewind made a copy of.
    Original(SessionId),
}

/// Goes back to a message that the user chooses, or that the argument names.
pub(super) async fn rewind(chat: &mut Chat<'_>, editor: &LineEditor, argument: &str) {
    let points = match chat.rewind_points().await {
        Ok(points) => points,
        Err(error) => return output::error(&error),
    };
    if points.is_empty() {
        return print_hint("there is nothing to rewind");
    }
    let (number, scope) = argument
        .split_once(char::is_whitespace)
        .unwrap_or((argument, ""));
    let number = if number.is_empty() {
        print_points(&points);
        let range = format!("[1-{}] ", points.len());
        ask(editor, "Back to before which message? ", &range).await
    } else {
        Some(number.to_owned())
    };
    let number = number.and_then(|number| number.trim().parse::<usize>().ok());
    let Some(point) = number.and_then(|number| points.get(number.checked_sub(1)?)) else {
        return print_hint("no message was chosen");
    };
    let scope = if scope.is_empty() {
        let choices = "[conversation/files/both] ";
        ask(editor, "What goes back? ", choices).await
    } else {
        Some(scope.to_owned())
    };
    let Some(scope) = scope.as_deref().and_then(Scope::parse) else {
        return print_hint("nothing was rewound; choose conversation, files or both");
    };
    let files = match (scope, &point.files) {
        (Scope::Conversation, _) => None,
        (_, None) => {
            return print_hint(
                "the files of that message are not known; use /rewind N conversation",
            );
        }
        (_, files) => files.clone(),
    };
    let destination = (scope != Scope::Files).then(|| Destination::Before(point.clone()));
    let text = sanitize::first_line(&point.text, 60);
    let done = match scope {
        Scope::Files => format!("the files are as before: {text}"),
        _ => format!("rewound to before: {text}"),
    };
    let step = RewindStep {
        files,
        destination,
        done,
        is_recorded: true,
    };
    step.run(chat, editor).await;
}

/// Takes back the last rewind, or else the last exchange and its changes of files.
pub(super) async fn undo(chat: &mut Chat<'_>, editor: &LineEditor) {
    let step = match chat.last_undo().await {
        Err(error) => return output::error(&error),
        Ok(None) => return print_hint("there is nothing to undo"),
        Ok(Some(Undo::Exchange(point))) => {
            let mut done = format!("undone: {}", sanitize::first_line(&point.text, 60));
            if point.files.is_none() {
                done.push_str("; changes of files are not known, and are not undone");
            }
            RewindStep {
                files: point.files.clone(),
                destination: Some(Destination::Before(point)),
                done,
                is_recorded: false,
            }
        }
        Ok(Some(Undo::Rewind(session, files))) => RewindStep {
            files,
            destination: session.map(Destination::Original),
            done: "undone: the last rewind".to_owned(),
            is_recorded: false,
        },
    };
    step.run(chat, editor).await;
}

/// What a command takes back, once the user has agreed.
struct RewindStep {
    files: Option<HistoryPosition>,
    destination: Option<Destination>,
    /// What is printed at the end.
    done: String,
    /// Whether `/undo` takes the step back.
    is_recorded: bool,
}

impl RewindStep {
    async fn run(self, chat: &mut Chat<'_>, editor: &LineEditor) {
        let before = chat.position_of_files().await;
        let mut restored = false;
        if let Some(files) = &self.files {
            let is_alone = self.destination.is_none();
            match files::restore(chat, editor, files, is_alone).await {
                Some(done) => restored = done,
                None => return print_hint("nothing was rewound"),
            }
        }
        let result = self
            .finish(chat, before.filter(|_| restored), restored)
            .await;
        match result {
            Ok(()) => print_hint(&self.done),
            Err(error) => output::error(&error),
        }
    }

    /// Takes back the conversation, and records the rewind.
    async fn finish(
        &self,
        chat: &mut Chat<'_>,
        before: Option<HistoryPosition>,
        restored: bool,
    ) -> Result<(), SessionError> {
        let session = chat.conversation_id().cloned();
        match &self.destination {
            Some(Destination::Before(point)) => chat.rewind_conversation(point).await?,
            Some(Destination::Original(session)) => chat.leave_copy(session).await?,
            None => {}
        }
        if self.is_recorded && (restored || self.destination.is_some()) {
            let session = session.filter(|_| self.destination.is_some());
            return chat.record_rewind(session, before).await;
        }
        // A rewind of the files alone is not undone twice.
        if !self.is_recorded && self.destination.is_none() {
            return chat.record_rewind(None, None).await;
        }
        Ok(())
    }
}

fn print_points(points: &[RewindPoint]) {
    let width = Size::of_stdout().columns;
    let rows = points.iter().enumerate().map(|(index, point)| {
        let changed = match point.changed {
            None => "files not known".to_owned(),
            Some(0) => "no files changed since".to_owned(),
            Some(changed) => format!("{} changed since", counted(changed, "file")),
        };
        let about = format!(" · {changed}");
        let most = width.saturating_sub(about.chars().count() + 6).max(10);
        let text = sanitize::first_line(&point.text, most);
        Line::styled(&format!("{:>3}  ", index + 1), theme::NAME)
            .with(&text, theme::PLAIN)
            .with(&about, theme::DIM)
            .truncated(width)
    });
    output::lines(&rows.collect::<Vec<_>>());
}

/// Asks a question; `None` if it is not answered.
async fn ask(editor: &LineEditor, question: &str, choices: &str) -> Option<String> {
    let question = Line::styled(question, theme::PLAIN).with(choices, theme::DIM);
    let answer = editor.read_line(question, InitialInput::default(), false);
    match answer.await {
        EditorInput::Line(line) => Some(line),
        _ => None,
    }
}

#[cfg(feature = "files")]
async fn confirm(editor: &LineEditor, question: &str) -> bool {
    let answer = ask(editor, question, "[y/N] ").await;
    answer.is_some_and(|answer| answer.trim().to_ascii_lowercase().starts_with('y'))
}

#[cfg(not(feature = "files"))]
mod without_files {
    use super::{Chat, HistoryPosition, LineEditor};

    #[expect(clippy::unused_async, reason = "with files it waits for the user")]
    pub(super) async fn restore(
        _: &Chat<'_>,
        _: &LineEditor,
        _: &HistoryPosition,
        _: bool,
    ) -> Option<bool> {
        Some(false)
    }
}
