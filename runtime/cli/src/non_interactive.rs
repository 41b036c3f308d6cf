//! The approver of a command without a terminal.

use std::sync::Once;

use futures_util::future::{self, BoxFuture, FutureExt};

use super::output;
use helve_permission::{Answer, Approver, Question};

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
            question.unanswered_decision("it needs approval, and nobody is there to be asked");
        future::ready(decision.into()).boxed()
    }
}

fn approval_note(question: &Question) -> String {
    let allow = match question.suggestions.first() {
        Some(rule) if !question.safety => format!("allow it with `--allow '{rule}'`, "),
        _ => String::new(),
    };
    format!(
        "note: nobody is there to be asked, so that calls which need approval are denied: {allow}put questions off with \
         `--defer`, or run this in a terminal"
    )
}
