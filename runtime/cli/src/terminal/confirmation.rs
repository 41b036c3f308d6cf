//! A yes-or-no question to the user about something that was shown before.

use super::prompt::{TerminalPrompt, prompt_line};
use super::{answer, question_text};
use crate::output;
use crate::screen::{Line, Size, theme};

/// Asks a yes-or-no question; a closed terminal means no.
pub(crate) async fn confirm(question: &str) -> bool {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let question = Line::styled("? ", theme::QUESTION).with(question, theme::STRONG);
    output::lines(&question.wrap(width));
    loop {
        output::lines(&question_text::render_keys(
            &[("y", "yes"), ("n", "no")],
            width,
        ));
        let line = prompt_line(&mut lines).await;
        let word = line.map(|line| line.trim().to_ascii_lowercase());
        match word.as_deref() {
            Some(word) if answer::is_yes(word) => return true,
            None => return false,
            Some(word) if answer::is_no(word) => return false,
            Some(_) => {}
        }
    }
}
