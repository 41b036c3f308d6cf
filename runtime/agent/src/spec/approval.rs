//! Who approves the calls of an agent.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt as _};

use super::Agent;
use helve_permission::{Answer, Approver, Decision, Question};

impl Agent {
    /// Sets the approver, which is asked when a call needs approval; without an approver, such a call is denied. For
    /// the calls of a delegate, the approver of the session is asked, and that of the delegate only if the session has
    /// none.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(approver);
        self.has_approver = true;
        self
    }

    /// Sets a function as the [approver](Self::approver), which answers each question at once.
    ///
    /// ```
    /// use helve::agent::Agent;
    /// use helve::model::ScriptedModel;
    /// use helve::permission::Decision;
    ///
    /// let agent = Agent::new("main", ScriptedModel::new()).approve_with(|question| match &*question.tool {
    ///     "send_mail" => Decision::allow_once(),
    ///     other => Decision::reject_with_message(format!("{other} is not for you")),
    /// });
    /// ```
    #[must_use]
    pub fn approve_with(
        self,
        decide: impl Fn(&Question) -> Decision + Send + Sync + 'static,
    ) -> Self {
        self.approver(DecisionFn(decide))
    }
}

/// An approver that is a function.
struct DecisionFn<F>(F);

impl<F: Fn(&Question) -> Decision + Send + Sync> Approver for DecisionFn<F> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        future::ready(self.0(question).into()).boxed()
    }
}
