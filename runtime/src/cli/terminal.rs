//! The person at the terminal, as an approver.

use std::io::{BufRead, IsTerminal};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::{Mutex, mpsc};

use super::output;
use crate::permission::{Answer, Approver, Decision, Question, Rule, RuleScope};

/// Asks at the terminal, one question at a time.
pub(super) struct Terminal {
    lines: Mutex<Lines>,
}

/// Lines of standard input, read on a thread of its own since reading cannot be called off.
struct Lines {
    /// Started with the first question, so that a run that asks nothing leaves the input to whoever wants it.
    receiver: Option<mpsc::UnboundedReceiver<String>>,
}

impl Terminal {
    /// Makes the approver, where there is a person: both ends of the conversation are a terminal.
    pub(super) fn attached() -> Option<Self> {
        let lines = Mutex::new(Lines { receiver: None });
        Self::is_attached().then_some(Self { lines })
    }

    /// Reports whether there is a person.
    pub(super) fn is_attached() -> bool {
        std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}

impl Lines {
    async fn next(&mut self) -> Option<String> {
        self.receiver.get_or_insert_with(read_lines).recv().await
    }

    /// Drops what was typed before the question stood there: it cannot be an answer to it.
    fn forget(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            while receiver.try_recv().is_ok() {}
        }
    }
}

fn read_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        async move {
            let mut lines = self.lines.lock().await;
            lines.forget();
            output::line(&text(question));
            loop {
                let Some(line) = lines.next().await else {
                    let reason = "the terminal was closed before there was an answer".to_owned();
                    return Decision::Unanswered { reason }.into();
                };
                match read(&line, question) {
                    Some(decision) => return decision.into(),
                    None => {
                        output::line("  Please answer y, a, n or never, or say what to do instead.")
                    }
                }
            }
        }
        .boxed()
    }
}

/// Writes the question: what would run, why it is asked, and what can be answered.
fn text(question: &Question) -> String {
    let mut text = format!(
        "\n? May {} run?\n    {}\n  Why it asks: {}\n",
        question.tool, question.arguments, question.reason
    );
    if let Some(part) = &question.part {
        text.push_str(&format!("  It is about: {part}\n"));
    }
    text.push_str("  [y] yes, this once\n");
    if can_be_always(question) {
        let rules = rules(&question.suggestions);
        text.push_str(&format!("  [a] always in this session: {rules}\n"));
        text.push_str("  [p] always in this project   [u] always for me\n");
    }
    text.push_str("  [n] no");
    if can_be_always(question) {
        text.push_str("   [never] no, and not again in this session");
    }
    text.push_str("\n  or write what should be done instead");
    text
}

fn can_be_always(question: &Question) -> bool {
    !question.safety && !question.suggestions.is_empty()
}

fn rules(rules: &[Rule]) -> String {
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    rules.join(", ")
}

/// Reads an answer; an empty line and an "always" that was not offered are none.
fn read(line: &str, question: &Question) -> Option<Decision> {
    let always = |scope| {
        can_be_always(question).then(|| Decision::AllowAlways {
            rules: question.suggestions.clone(),
            scope,
            message: None,
        })
    };
    match line.trim().to_ascii_lowercase().as_str() {
        "" => None,
        "y" | "yes" => Some(Decision::allow_once()),
        "a" | "always" => always(RuleScope::Session),
        "p" => always(RuleScope::Project),
        "u" => always(RuleScope::User),
        "n" | "no" => Some(Decision::reject_once()),
        "never" => can_be_always(question).then(|| Decision::RejectAlways {
            rules: question.suggestions.clone(),
            scope: RuleScope::Session,
            message: None,
        }),
        // One letter is a slip of the finger rather than an instruction.
        single if single.chars().count() == 1 => None,
        _ => Some(Decision::reject_because(line.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CallKey, Origin, ToolCall};

    fn question(suggestions: &[&str]) -> Question {
        let call = ToolCall::new("c1", "bash", r#"{"command":"cargo test"}"#);
        let origin = Origin::new("main", "t1");
        let rules = suggestions.iter().map(|rule| rule.parse().unwrap());
        Question::new(
            origin,
            CallKey::new(1, 0),
            &call,
            "it does not say what it changes (medium risk)",
        )
        .offering(false, rules.collect())
    }

    #[test]
    fn a_question_says_what_would_run_and_what_can_be_answered() {
        insta::assert_snapshot!(text(&question(&["bash(cargo test:*)"])), @r#"

        ? May bash run?
            {"command":"cargo test"}
          Why it asks: it does not say what it changes (medium risk)
          [y] yes, this once
          [a] always in this session: bash(cargo test:*)
          [p] always in this project   [u] always for me
          [n] no   [never] no, and not again in this session
          or write what should be done instead
        "#);
        insta::assert_snapshot!(text(&question(&[])), @r#"

        ? May bash run?
            {"command":"cargo test"}
          Why it asks: it does not say what it changes (medium risk)
          [y] yes, this once
          [n] no
          or write what should be done instead
        "#);
    }

    #[test]
    fn an_answer_means_what_was_offered() {
        let offered = question(&["bash(cargo test:*)"]);
        assert_eq!(read("Y\n", &offered), Some(Decision::allow_once()));
        assert_eq!(read("no", &offered), Some(Decision::reject_once()));
        let rules = offered.suggestions.clone();
        let scope = RuleScope::Project;
        let message = None;
        assert_eq!(
            read("p", &offered),
            Some(Decision::AllowAlways {
                rules,
                scope,
                message
            })
        );
        assert_eq!(
            read("run only the unit tests", &offered),
            Some(Decision::reject_because("run only the unit tests"))
        );
        for unclear in ["", "  ", "k", "ä"] {
            assert_eq!(read(unclear, &offered), None, "{unclear:?}");
        }
        // What was not offered cannot be answered.
        for always in ["a", "always", "p", "u", "never"] {
            assert_eq!(read(always, &question(&[])), None, "{always:?}");
        }
    }
}
