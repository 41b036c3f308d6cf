//! The approver of a command without a terminal.

use std::sync::Once;

use futures_util::future::{self, BoxFuture, FutureExt};

use helve_core::sandbox::BlockedAccess;
use helve_permission::{Answer, Approver, Question};
use helve_terminal::output;

/// Denies every call that needs approval, and prints once how to allow calls.
#[derive(Debug)]
pub(super) struct NonInteractive {
    is_noted: Once,
    /// Whether the settings for blocked hosts and folders were noted.
    is_access_noted: Once,
}

impl NonInteractive {
    pub(super) fn new() -> Self {
        Self {
            is_noted: Once::new(),
            is_access_noted: Once::new(),
        }
    }
}

impl Approver for NonInteractive {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let why = if let Some(blocked) = &question.blocked {
            self.is_access_noted
                .call_once(|| output::note(&access_note(blocked)));
            "no terminal is attached"
        } else {
            self.is_noted
                .call_once(|| output::note(&approval_note(question)));
            "the call needs approval, and no terminal is attached"
        };
        let decision = match &question.blocked {
            // The command's output has the reason already.
            Some(_) => helve_permission::Decision::Unanswered {
                reason: why.to_owned(),
            },
            None => question.unanswered_decision(why),
        };
        future::ready(decision.into()).boxed()
    }
}

fn access_note(blocked: &BlockedAccess) -> String {
    let (setting, value) = (blocked.setting(), blocked.setting_value());
    format!(
        "warning: the sandbox did not let a command {blocked}, and no terminal is attached to ask\nhelp: add {value:?} to \
         `{setting}` in helve.toml"
    )
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
