//! One question at the terminal: it takes the terminal, and reads lines as answers.

use std::io::Write as _;
use std::sync::LazyLock;

use tokio::sync::{Mutex, MutexGuard, watch};

use super::input::{Input, Lines};
use super::question_text::render_keys;
use crate::output;
use crate::screen::{self, Colors, Line, theme};

/// The lines of the terminal. A question locks it, so that one question is open at a time.
pub(super) static INPUT: Mutex<Input> = Mutex::const_new(Input::new());

/// The number of questions that are open or wait for the input.
static QUESTIONS: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// Returns the number of questions that are open or wait for the input.
#[cfg(all(unix, feature = "chat"))]
pub(super) fn open_questions() -> watch::Receiver<usize> {
    QUESTIONS.subscribe()
}

/// Counts a question, until it is dropped.
struct QuestionCount(());

impl QuestionCount {
    fn new() -> Self {
        QUESTIONS.send_modify(|open| *open += 1);
        Self(())
    }
}

impl Drop for QuestionCount {
    fn drop(&mut self) {
        QUESTIONS.send_modify(|open| *open -= 1);
    }
}

pub(super) struct TerminalPrompt {
    /// Dropped first: the screen changes how the terminal reads keys, and then others read them.
    _pause: screen::ScreenPause,
    input: MutexGuard<'static, Input>,
    _count: QuestionCount,
}

impl TerminalPrompt {
    /// Waits until no other question is open.
    pub(super) async fn acquire() -> Self {
        let count = QuestionCount::new();
        let input = INPUT.lock().await;
        Self {
            _pause: screen::pause().await,
            input,
            _count: count,
        }
    }

    /// Starts to read. What was typed before the question is discarded: it cannot be an answer to the question.
    pub(super) fn lines(&mut self) -> Lines<'_> {
        let mut lines = self.input.start();
        lines.discard_pending();
        lines
    }
}

/// Writes the prompt and waits for a line; `None` if the input has ended.
pub(super) async fn prompt_line(lines: &mut Lines<'_>) -> Option<String> {
    let mut prompt = String::new();
    Line::styled("  > ", theme::QUESTION).write(Colors::of_stdout(), &mut prompt);
    write_stdout(&prompt);
    let unanswered = LineEndGuard;
    let line = lines.next().await;
    std::mem::forget(unanswered);
    line
}

pub(super) const YES_OR_NO: [(&str, &str); 2] = [("y", "yes"), ("n", "no")];

/// Writes keys with their meanings, and waits for a word; `None` if the input has ended.
pub(super) async fn prompt_keys(
    lines: &mut Lines<'_>,
    keys: &[(&str, &str)],
    width: usize,
) -> Option<String> {
    output::lines(&render_keys(keys, width));
    let line = prompt_line(lines).await?;
    Some(line.trim().to_owned())
}

/// Ends the line of the prompt if the question is dropped before its answer.
struct LineEndGuard;

impl Drop for LineEndGuard {
    fn drop(&mut self) {
        write_stdout("\n");
    }
}

fn write_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}
