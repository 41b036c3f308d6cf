//! Changing the arguments of a call: in the editor of the user, or else on a line.

use serde_json::{Map, Value};

use super::prompt::TerminalPrompt;
#[cfg(not(feature = "chat"))]
use super::prompt::prompt_line;
use crate::screen::{Line, Size, theme};
use crate::{edit, output};
use helve_core::transcript::RawJson;

/// Lets the user change arguments; `None` if they are unchanged or no JSON object.
pub(super) async fn edit(arguments: &RawJson) -> Option<RawJson> {
    let mut asked = TerminalPrompt::acquire().await;
    let before: Option<Map<String, Value>> = serde_json::from_str(arguments).ok();
    let edited = match edit::editor_program() {
        Some(program) => {
            let shown = before.as_ref().map(serde_json::to_string_pretty);
            let shown = shown.and_then(Result::ok);
            let shown = shown.unwrap_or_else(|| arguments.as_str().to_owned());
            match edit::edit_text(program, shown + "\n", "json").await {
                Ok(text) => text,
                Err(error) => return tell(&format!("the arguments were not edited: {error}")),
            }
        }
        None => edit_line(&mut asked, arguments.as_str()).await?,
    };
    let after: Map<String, Value> = match serde_json::from_str(&edited) {
        Ok(after) => after,
        Err(error) => return tell(&format!("the arguments are not a JSON object: {error}")),
    };
    if before.as_ref() == Some(&after) {
        return tell("the arguments are unchanged");
    }
    Some(Value::Object(after).to_string().into())
}

fn tell(text: &str) -> Option<RawJson> {
    let line = Line::styled(&format!("  {text}"), theme::NOTICE);
    output::lines(&line.wrap_hanging(Size::of_stdout().columns, 2));
    None
}

/// Edits a text on a line, which begins with the text; `None` if the user gives up.
#[cfg(feature = "chat")]
async fn edit_line(_: &mut TerminalPrompt, text: &str) -> Option<String> {
    if !crate::screen::can_redraw() {
        // A terminal without escapes cannot show it for editing.
        output::line(&crate::sanitize::replace_controls(text));
    }
    let text = text.to_owned();
    let edited = tokio::task::spawn_blocking(move || {
        let mut editor = rustyline::DefaultEditor::new().ok()?;
        editor
            .readline_with_initial("  arguments: ", (&text, ""))
            .ok()
    });
    edited.await.ok().flatten()
}

/// Reads a text from a line, below the text as it is.
#[cfg(not(feature = "chat"))]
async fn edit_line(asked: &mut TerminalPrompt, text: &str) -> Option<String> {
    output::line(&crate::sanitize::replace_controls(text));
    let mut lines = asked.lines();
    prompt_line(&mut lines).await
}
