//! A yes-or-no question to the user about something that was shown before.

use super::answer;
use super::prompt::prompt_line;
use super::prompt::{TerminalPrompt, YES_OR_NO, prompt_keys};
use crate::output;
use crate::screen::{Line, Size, theme};

/// Asks a yes-or-no question; a closed terminal means no.
pub async fn confirm(question: &str) -> bool {
    confirm_with_details(question, None).await
}

/// What the user wants after work that ended before it was complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continuation {
    /// The work goes on as it is.
    GoOn,
    /// The work goes on with what the user says.
    Instead(String),
    /// The work ends.
    Stop,
}

/// Asks whether work goes on. An answer that is neither yes nor no says what to do instead; a closed terminal and Ctrl-C
/// end the work.
pub async fn ask_to_go_on(question: &str) -> Continuation {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let question = Line::styled("? ", theme::QUESTION).with(question, theme::STRONG);
    output::lines(&question.wrap(width));
    let keys = [("y", "yes"), ("n", "no"), ("…", "what to do instead")];
    loop {
        let word = tokio::select! {
            word = prompt_keys(&mut lines, &keys, width) => word,
            _ = tokio::signal::ctrl_c() => None,
        };
        let Some(word) = word else {
            return Continuation::Stop;
        };
        match &*word.to_ascii_lowercase() {
            lower if answer::is_yes(lower) => return Continuation::GoOn,
            lower if answer::is_no(lower) => return Continuation::Stop,
            // One letter is a slip of the finger, and so is an escape of some key.
            lower if lower.chars().count() < 2 || lower.starts_with('\u{1b}') => {}
            _ => return Continuation::Instead(word),
        }
    }
}

/// Asks for a secret, which is not echoed; `None` if the terminal is closed, or the user presses Ctrl-C.
pub async fn ask_secret(question: &str) -> Option<String> {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let question = Line::styled("? ", theme::QUESTION).with(question, theme::STRONG);
    output::lines(&question.wrap(Size::of_stdout().columns));
    #[cfg(unix)]
    let no_echo = crate::screen::NoEcho::enable(false);
    let line = tokio::select! {
        line = prompt_line(&mut lines) => line,
        _ = tokio::signal::ctrl_c() => None,
    };
    #[cfg(unix)]
    drop(no_echo);
    output::line("");
    line
}

/// Asks a yes-or-no question, and shows the details, if there are any, to a user who asks for them.
pub async fn confirm_with_details(question: &str, details: Option<&str>) -> bool {
    let mut asked = TerminalPrompt::acquire().await;
    let mut lines = asked.lines();
    let width = Size::of_stdout().columns;
    let question = Line::styled("? ", theme::QUESTION).with(question, theme::STRONG);
    output::lines(&question.wrap(width));
    let mut keys = YES_OR_NO.to_vec();
    keys.extend(details.map(|_| ("d", "details")));
    loop {
        let word = prompt_keys(&mut lines, &keys, width).await;
        match word.map(|word| word.to_ascii_lowercase()).as_deref() {
            Some(word) if answer::is_yes(word) => return true,
            None => return false,
            Some(word) if answer::is_no(word) => return false,
            Some("d" | "details") => output::print(details.unwrap_or_default()),
            Some(_) => {}
        }
    }
}
