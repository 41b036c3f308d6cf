//! A yes-or-no question to the user about something that was shown before.

use super::answer;
use super::prompt::{TerminalPrompt, YES_OR_NO, prompt_keys};
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
        let word = prompt_keys(&mut lines, &YES_OR_NO, width).await;
        match word.map(|word| word.to_ascii_lowercase()).as_deref() {
            Some(word) if answer::is_yes(word) => return true,
            None => return false,
            Some(word) if answer::is_no(word) => return false,
            Some(_) => {}
        }
    }
}
