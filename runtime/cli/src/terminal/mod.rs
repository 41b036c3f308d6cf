//! Questions to the user at the terminal: approvals, and requests of tools and MCP servers.

mod answer;
mod confirmation;
mod elicitation;
mod form;
mod input;
#[cfg(all(unix, feature = "chat"))]
mod keys;
mod prompt;
mod question_text;
mod sampling;

use std::io::IsTerminal;

use futures_util::future::{BoxFuture, FutureExt};

use super::output;
use super::screen::Size;
use answer::ParsedAnswer;
#[cfg(feature = "models")]
pub(super) use confirmation::ask_secret;
pub(super) use confirmation::{confirm, confirm_with_details};
pub(super) use elicitation::elicit;
use helve_permission::{Answer, Approver, Decision, Question};
#[cfg(all(unix, feature = "chat"))]
pub(super) use keys::{PressedKey, read_keys, read_pending_keys};
use prompt::{TerminalPrompt, prompt_keys, prompt_line};
use question_text::Detail;
pub(super) use sampling::{SamplingAnswer, ask_sampling};

/// Asks at the terminal whether calls may run.
#[derive(Debug)]
pub(super) struct Terminal(());

impl Terminal {
    /// Creates the approver if standard input and standard output are a terminal.
    pub(super) fn attached() -> Option<Self> {
        Self::is_attached().then_some(Self(()))
    }

    /// Reports whether standard input and standard output are a terminal.
    pub(super) fn is_attached() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            let mut asked = TerminalPrompt::acquire().await;
            ask_until_answered(asked.lines(), question).await.into()
        }
        .boxed()
    }
}

async fn ask_until_answered(mut lines: input::Lines<'_>, question: &Question) -> Decision {
    let width = Size::of_stdout().columns;
    let print_question = |detail| {
        output::lines(&question_text::render_question(question, detail, width));
        output::lines(&question_text::render_choices(question, width));
    };
    print_question(Detail::Short);
    loop {
        let Some(line) = prompt_line(&mut lines).await else {
            return closed_decision();
        };
        match answer::parse(&line, question) {
            ParsedAnswer::Decision(decision) => return decision,
            ParsedAnswer::DecisionWithRules(decision) => {
                match confirm_rules(&mut lines, &decision, width).await {
                    Some(true) => return decision,
                    Some(false) => output::lines(&question_text::render_choices(question, width)),
                    None => return closed_decision(),
                }
            }
            ParsedAnswer::ShowAll => print_question(Detail::Full),
            ParsedAnswer::Unclear => {
                output::lines(&question_text::render_invalid_answer(question, width));
            }
        }
    }
}

/// Shows the rules of an answer and asks for a confirmation, since the rules apply to more than the call; `None` if the
/// terminal is closed.
async fn confirm_rules(
    lines: &mut input::Lines<'_>,
    decision: &Decision,
    width: usize,
) -> Option<bool> {
    output::lines(&question_text::render_rules(decision, width));
    loop {
        let keys = [("y", "yes"), ("n", "no, go back")];
        let word = prompt_keys(lines, &keys, width).await?;
        match &*word.to_ascii_lowercase() {
            word if answer::is_yes(word) => return Some(true),
            word if answer::is_no(word) => return Some(false),
            _ => {}
        }
    }
}

fn closed_decision() -> Decision {
    let reason = "the terminal was closed without an answer".to_owned();
    Decision::Unanswered { reason }
}
