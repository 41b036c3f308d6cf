//! The person who is asked.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use helve::permission::{Answer, Approver, Decision, Question, RuleScope};
use helve_adversary::Rng;

use crate::record::CallRecord;

/// Answers at random, within what a person accepts who reads the question: a command, which runs in the sandbox, a
/// schedule, whose runs do no more than its maker, and an edit that is no question of safety.
#[derive(Debug)]
pub(crate) struct RandomApprover {
    rng: Mutex<Rng>,
    record: Arc<CallRecord>,
}

impl RandomApprover {
    pub(crate) fn new(rng: Rng, record: &Arc<CallRecord>) -> Self {
        Self {
            rng: Mutex::new(rng),
            record: Arc::clone(record),
        }
    }

    fn decide(&self, question: &Question) -> Decision {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        self.record.note_question(question);
        // What runs later is read by the person who accepts it.
        let is_harmless =
            question.tool.starts_with("bash") || question.tool.starts_with("schedule_");
        if question.safety && !is_harmless {
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
