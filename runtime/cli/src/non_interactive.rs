//! The approver of a command without a terminal.

use std::sync::Once;

use futures_util::future::{self, BoxFuture, FutureExt};

use helve_permission::{Answer, Approver, Question};
use helve_terminal::output;

/// Denies every call that needs approval, and prints once how to allow calls.
#[derive(Debug)]
pub(super) struct NonInteractive {
    is_noted: Once,
}

impl NonInteractive {
    pub(super) fn new() -> Self {
        Self {
            is_noted: Once::new(),
        }
    }
}

impl Approver for NonInteractive {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.is_noted
            .call_once(|| output::note(&approval_note(question)));
        let decision =
            question.unanswered_decision("the call needs approval, and no terminal is attached");
        future::ready(decision.into()).boxed()
    }
}

fn approval_note(question: &Question) -> String {
    let allow = match question.suggestions.first() {
        Some(rule) if !question.safety => format!("use `--allow '{rule}'`, "),
        _ => String::new(),
    };
    format!(
        "warning: calls that need approval are denied: no terminal is attached\nhelp: {allow}use `--defer` to answer \
         later, or run in a terminal"
    )
}
