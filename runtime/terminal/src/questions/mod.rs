//! Questions to the user at the terminal: approvals, and requests of tools and MCP servers.

mod answer;
mod argument_editing;
#[cfg(all(unix, feature = "chat"))]
mod choice;
mod confirmation;
mod elicitation;
mod form;
mod input;
#[cfg(all(unix, feature = "chat"))]
mod keys;
mod own_form;
mod prompt;
mod question_text;
mod sampling;

use std::io::IsTerminal;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};

use crate::output;
use crate::screen::Size;
use answer::ParsedAnswer;
pub use confirmation::ask_secret;
pub use confirmation::{Continuation, ask_to_go_on, confirm, confirm_with_details};
pub use elicitation::elicit;
use helve_permission::{Answer, Approver, Decision, Question, TimeLimitedApprover};
#[cfg(all(unix, feature = "chat"))]
pub use keys::{PressedKey, read_keys, read_pending_keys};
use prompt::{TerminalPrompt, prompt_keys, prompt_line};
use question_text::Detail;
pub use sampling::{SamplingAnswer, ask_sampling};

/// Asks at the terminal whether calls may run.
#[derive(Debug)]
pub struct Terminal {
    /// The time limit of a question. The time in which the user edits arguments does not count.
    limit: Option<Duration>,
}

impl Terminal {
    /// Creates the approver if standard input and standard output are a terminal.
    pub fn attached() -> Option<Self> {
        Self::is_attached().then_some(Self { limit: None })
    }

    /// Sets the time limit of a question.
    pub fn with_limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }

    /// Reports whether standard input and standard output are a terminal.
    pub fn is_attached() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            loop {
                let answering = async {
                    let mut asked = TerminalPrompt::acquire().await;
                    ask_until_answered(asked.lines(), question).await
                };
                let answer = match self.limit {
                    Some(limit) => {
                        tokio::time::timeout(limit, answering)
                            .await
                            .unwrap_or_else(|_| {
                                TerminalAnswer::Decision(
                                    TimeLimitedApprover::<Self>::expired_decision(limit),
                                )
                            })
                    }
                    None => answering.await,
                };
                match answer {
                    TerminalAnswer::Decision(decision) => return decision.into(),
                    TerminalAnswer::Edit => {
                        if let Some(arguments) = argument_editing::edit(&question.arguments).await {
                            return Answer::Edited { arguments };
                        }
                    }
                }
            }
        }
        .boxed()
    }
}

enum TerminalAnswer {
    Decision(Decision),
    /// The user wants to change the arguments.
    Edit,
}

impl From<Decision> for TerminalAnswer {
    fn from(decision: Decision) -> Self {
        Self::Decision(decision)
    }
}

async fn ask_until_answered(mut lines: input::Lines<'_>, question: &Question) -> TerminalAnswer {
    let width = Size::of_stdout().columns;
    let print_question = |detail| {
        output::lines(&question_text::render_question(question, detail, width));
        output::lines(&question_text::render_choices(question, width));
    };
    print_question(Detail::Short);
    loop {
        let Some(line) = prompt_line(&mut lines).await else {
            return closed_decision().into();
        };
        match answer::parse(&line, question) {
            ParsedAnswer::Decision(decision) => return decision.into(),
            ParsedAnswer::DecisionWithRules(decision) => {
                match confirm_rules(&mut lines, &decision, width).await {
                    Some(true) => return decision.into(),
                    Some(false) => output::lines(&question_text::render_choices(question, width)),
                    None => return closed_decision().into(),
                }
            }
            ParsedAnswer::Edit => return TerminalAnswer::Edit,
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
