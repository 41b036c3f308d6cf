//! The person who is asked.

use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use helve::permission::{Answer, Approver, Decision, Question, RuleScope};
use helve_adversary::Rng;

/// Answers at random, within what somebody accepts who reads the question: a command, which runs in the sandbox, and an
/// edit that is no question of safety.
#[derive(Debug)]
pub(crate) struct RandomApprover(Mutex<Rng>);

impl RandomApprover {
    pub(crate) fn new(rng: Rng) -> Self {
        Self(Mutex::new(rng))
    }

    fn decide(&self, question: &Question) -> Decision {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_command = question.tool.starts_with("bash");
        if question.safety && !is_command {
            return Decision::reject_once();
        }
        match rng.below(10) {
            0..2 => Decision::reject_once(),
            2 if !question.suggestions.is_empty() && !question.safety => Decision::AllowAlways {
                rules: question.suggestions.clone(),
                scope: RuleScope::Session,
                message: None,
            },
            _ => Decision::allow_once(),
        }
    }
}

impl Approver for RandomApprover {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(std::future::ready(self.decide(question).into()))
    }
}
