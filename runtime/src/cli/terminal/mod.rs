//! The person at the terminal, as an approver.

mod answer;
mod input;
#[cfg(unix)]
mod quiet;
mod wording;

use std::io::{IsTerminal, Write};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::Mutex;

use super::output;
use super::screen::{self, Colors, Line, Size, theme};
use crate::permission::{Answer, Approver, Decision, Question};
use answer::Reading;
use input::Input;
#[cfg(unix)]
pub(super) use quiet::Quiet;

/// Asks at the terminal, one question at a time.
#[derive(Debug)]
pub(super) struct Terminal {
    input: Mutex<Input>,
}

impl Terminal {
    /// Makes the approver, where there is a person: both ends of the conversation are a terminal.
    pub(super) fn attached() -> Option<Self> {
        let input = Mutex::new(Input::default());
        Self::is_attached().then_some(Self { input })
    }

    /// Reports whether there is a person.
    pub(super) fn is_attached() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            let mut input = self.input.lock().await;
            // Nothing moves while the question stands.
            let _pause = screen::pause().await;
            put(input.start(), question).await.into()
        }
        .boxed()
    }
}

/// Puts a question until there is an answer to it.
async fn put(mut lines: input::Lines<'_>, question: &Question) -> Decision {
    let width = Size::of_stdout().columns;
    // What was typed before it stood there cannot be an answer to it.
    lines.forget();
    output::lines(&wording::question(question, wording::Length::Short, width));
    output::lines(&wording::choices(question, width));
    loop {
        prompt();
        let unanswered = Unanswered;
        let line = lines.next().await;
        std::mem::forget(unanswered);
        let Some(line) = line else {
            let reason = "the terminal was closed before there was an answer".to_owned();
            return Decision::Unanswered { reason };
        };
        match answer::read(&line, question) {
            Reading::Decided(decision) => return decision,
            Reading::All => {
                output::lines(&wording::question(question, wording::Length::All, width));
                output::lines(&wording::choices(question, width));
            }
            Reading::Unclear => output::lines(&wording::again(question, width)),
        }
    }
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
