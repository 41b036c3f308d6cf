//! Approvers, which answer permission questions, and their time limits.

use std::time::Duration;

use futures_util::future::{self, BoxFuture, FutureExt as _};

use super::{Decision, Question};
use helve_core::transcript::RawJson;

/// Answers permission questions: a user at a terminal, a remote client, or a fixed rule.
///
/// There is no time limit for the answer, and the rest of the turn does not wait for it. [`TimeLimitedApprover`] adds a
/// time limit. An approver that cannot answer immediately returns [`Answer::Deferred`].
///
/// ```
/// use helve::BoxFuture;
/// use helve::permission::{Answer, Approver, Decision, Question};
///
/// struct OnlyMail;
///
/// impl Approver for OnlyMail {
///     fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
///         Box::pin(async move {
///             match &*question.tool {
///                 "send_mail" => Decision::allow_once().into(),
///                 other => Decision::reject_with_message(format!("{other} is not for you")).into(),
///             }
///         })
///     }
/// }
/// ```
///
/// `Agent::approve_with` takes a function that answers at once instead.
pub trait Approver: Send + Sync {
    /// Decides whether the call may run, or defers the answer.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;

    /// Reports whether calls that wait for a result from outside are left to other processes alone. By default they are
    /// not: a tool that can get its result in this process, by asking the user, does so.
    fn defers_external_calls(&self) -> bool {
        false
    }
}

/// The answer of an approver.
///
/// ```
/// use helve::permission::{Answer, Decision};
///
/// assert_eq!(Answer::from(Decision::allow_once()), Answer::Decided(Decision::allow_once()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The decision.
    Decided(Decision),
    /// The approver changed the arguments. The call with these arguments is judged again, and asked about again where its
    /// verdict is to ask; the model is told of the change. Only a question with [`edits`](Question::edits) is answered so.
    Edited {
        /// The arguments, as a JSON object.
        arguments: RawJson,
    },
    /// The question was sent, and its answer arrives by another way. The turn is suspended until then, without a time
    /// limit.
    Deferred,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        Self::Decided(decision)
    }
}

impl<A: Approver + ?Sized> Approver for std::sync::Arc<A> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        (**self).ask(question)
    }

    fn defers_external_calls(&self) -> bool {
        (**self).defers_external_calls()
    }
}

impl<A: Approver + ?Sized> Approver for Box<A> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        (**self).ask(question)
    }

    fn defers_external_calls(&self) -> bool {
        (**self).defers_external_calls()
    }
}

/// The default approver, used if none is set: it allows nothing.
///
/// ```
/// use helve::agent::Agent;
/// use helve::model::ScriptedModel;
/// use helve::permission::DenyAll;
///
/// let agent = Agent::new("main", ScriptedModel::new()).approver(DenyAll);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let why = "it needs approval, and no approver is attached";
        future::ready(question.unanswered_decision(why).into()).boxed()
    }
}

/// An approver that defers every question, for an app that answers questions elsewhere, for example in another process.
/// It sets no timer, and calls of a tool such as `ask_user` are answered there, too.
///
/// The question contains the address of its call. The answer refers to that address.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeferAll;

impl Approver for DeferAll {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        future::ready(Answer::Deferred).boxed()
    }

    fn defers_external_calls(&self) -> bool {
        true
    }
}

/// An approver with a time limit; a call whose question is not answered in time is rejected.
///
/// ```
/// use helve::permission::{DenyAll, TimeLimitedApprover};
///
/// let approver = TimeLimitedApprover::new(DenyAll);
/// assert_eq!(approver.limit(), TimeLimitedApprover::<DenyAll>::DEFAULT);
/// ```
#[derive(Debug, Clone)]
pub struct TimeLimitedApprover<A> {
    approver: A,
    limit: Duration,
}

impl<A> TimeLimitedApprover<A> {
    /// The default time limit: two minutes.
    pub const DEFAULT: Duration = Duration::from_secs(120);

    /// Limits an approver to two minutes for each question.
    pub const fn new(approver: A) -> Self {
        Self::with_limit(approver, Self::DEFAULT)
    }

    /// Limits the time that an approver has for each question.
    pub const fn with_limit(approver: A, limit: Duration) -> Self {
        Self { approver, limit }
    }

    /// Returns the decision about a call whose question was not answered in time.
    #[doc(hidden)]
    #[must_use]
    pub fn expired_decision(limit: Duration) -> Decision {
        let why = format!("no answer within {}", render_duration(limit));
        Decision::reject_with_message(why)
    }

    /// Returns the time limit.
    pub const fn limit(&self) -> Duration {
        self.limit
    }
}

impl<A: Approver> Approver for TimeLimitedApprover<A> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let limit = self.limit;
        let answer = self.approver.ask(question);
        let timed = async move {
            let answer = tokio::time::timeout(limit, answer).await;
            answer.unwrap_or_else(|_| Self::expired_decision(limit).into())
        };
        timed.boxed()
    }

    fn defers_external_calls(&self) -> bool {
        self.approver.defers_external_calls()
    }
}

/// Formats a duration as text for the user.
fn render_duration(limit: Duration) -> String {
    let seconds = limit.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, 0) => format!("{limit:?}"),
        (1, 0) => "1 minute".to_owned(),
        (minutes, 0) => format!("{minutes} minutes"),
        (0, 1) => "1 second".to_owned(),
        (_, _) => format!("{seconds} seconds"),
    }
}
