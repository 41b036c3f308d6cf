//! The person at the terminal: who approves calls, and who answers what tools and MCP servers ask.

mod answer;
mod confirmation;
mod elicitation;
mod form;
mod input;
#[cfg(unix)]
mod quiet;
mod sampling;
mod wording;

use std::io::{IsTerminal, Write};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::{Mutex, MutexGuard};

use super::output;
use super::screen::{self, Colors, Line, Size, theme};
use crate::permission::{Answer, Approver, Decision, Question};
use answer::Reading;
pub(super) use confirmation::confirm;
pub(super) use elicitation::elicit;
use input::Input;
#[cfg(unix)]
pub(super) use quiet::Quiet;
pub(super) use sampling::{Sampling, may_sample};

/// Where lines come from. Whoever asks holds it, so that there is one question at a time, whoever asks it.
static INPUT: Mutex<Input> = Mutex::const_new(Input::new());

/// The terminal while somebody is asked.
struct Asked {
    input: MutexGuard<'static, Input>,
    /// Nothing moves while a question stands.
    _pause: screen::Pause,
}

impl Asked {
    /// Waits until nobody else asks.
    async fn begin() -> Self {
        Self {
            input: INPUT.lock().await,
            _pause: screen::pause().await,
        }
    }

    /// Begins to read. What was typed before the question stood there cannot be an answer to it.
    fn lines(&mut self) -> input::Lines<'_> {
        let mut lines = self.input.start();
        lines.forget();
        lines
    }
}

/// Asks at the terminal whether calls may run.
#[derive(Debug)]
pub(super) struct Terminal(());

impl Terminal {
    /// Makes the approver, where there is a person: both ends of the conversation are a terminal.
    pub(super) fn attached() -> Option<Self> {
        Self::is_attached().then_some(Self(()))
    }

    /// Reports whether there is a person.
    pub(super) fn is_attached() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            let mut asked = Asked::begin().await;
            put(asked.lines(), question).await.into()
        }
        .boxed()
    }
}

/// Puts a question until there is an answer to it.
async fn put(mut lines: input::Lines<'_>, question: &Question) -> Decision {
    let width = Size::of_stdout().columns;
    output::lines(&wording::question(question, wording::Length::Short, width));
    output::lines(&wording::choices(question, width));
    loop {
        let Some(line) = prompt_line(&mut lines).await else {
            return closed();
        };
        match answer::read(&line, question) {
            Reading::Decided(decision) => return decision,
            Reading::Always(decision) => match confirmed(&mut lines, &decision, width).await {
                Some(true) => return decision,
                Some(false) => output::lines(&wording::choices(question, width)),
                None => return closed(),
            },
            Reading::All => {
                output::lines(&wording::question(question, wording::Length::All, width));
                output::lines(&wording::choices(question, width));
            }
            Reading::Unclear => output::lines(&wording::again(question, width)),
        }
    }
}

/// Shows the rules of an answer and asks whether they are meant, since they are about more than the call; `None` where no
/// more lines come.
async fn confirmed(
    lines: &mut input::Lines<'_>,
    decision: &Decision,
    width: usize,
) -> Option<bool> {
    output::lines(&wording::rules(decision, width));
    loop {
        let keys = [("y", "yes, that"), ("n", "no, back to the question")];
        output::lines(&wording::keys(&keys, width));
        let word = prompt_line(lines).await?.trim().to_ascii_lowercase();
        match &*word {
            word if answer::is_yes(word) => return Some(true),
            word if answer::is_no(word) => return Some(false),
            _ => {}
        }
    }
}

fn closed() -> Decision {
    let reason = "the terminal was closed before there was an answer".to_owned();
    Decision::Unanswered { reason }
}

/// Writes the prompt and waits for a line; `None` where no more come.
async fn prompt_line(lines: &mut input::Lines<'_>) -> Option<String> {
    prompt();
    let unanswered = Unanswered;
    let line = lines.next().await;
    std::mem::forget(unanswered);
    line
}

/// Leaves the line of the prompt where nobody waits for its answer any more.
struct Unanswered;

impl Drop for Unanswered {
    fn drop(&mut self) {
        print("\n");
    }
}

fn prompt() {
    let mut text = String::new();
    Line::of("  > ", theme::QUESTION).write(Colors::of_stdout(), &mut text);
    print(&text);
}

fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}
