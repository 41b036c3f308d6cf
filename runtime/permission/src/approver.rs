//! Who answers a permission question, and how long there is.

use std::time::Duration;

use futures_util::future::{self, BoxFuture, FutureExt as _};

use super::{Decision, Question};

/// Answers permission questions: a person at a terminal, a client across a network, a fixed rule.
///
/// The answer may take as long as it takes; nothing else of the turn waits for it. [`TimeLimitedApprover`] sets an end to the
/// waiting, and an approver that cannot answer now says [`Answer::Deferred`].
///
/// ```
/// use futures_util::future::{self, BoxFuture, FutureExt as _};
/// use helve::permission::{Answer, Approver, Decision, Question};
///
/// struct OnlyMail;
///
/// impl Approver for OnlyMail {
///     fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
///         let decision = match &*question.tool {
///             "send_mail" => Decision::allow_once(),
///             other => Decision::reject_with_message(format!("{other} is not for you")),
///         };
///         future::ready(decision.into()).boxed()
///     }
/// }
/// ```
pub trait Approver: Send + Sync {
    /// Decides whether the call may run, or says that the answer comes later.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;
}

/// What an approver says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The decision.
    Decided(Decision),
    /// The question was sent, and its answer arrives another way: the turn is suspended until then, however long it
    /// takes.
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
}

impl<A: Approver + ?Sized> Approver for Box<A> {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        (**self).ask(question)
    }
}

/// The approver that stands in where none is attached: it allows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let why = "it needs approval, and no approver is attached";
        future::ready(question.unanswered_decision(why).into()).boxed()
    }
}

/// An approver that defers every question, for an app that answers questions elsewhere, for example in another process.
/// It sets no timer.
///
/// The question has the address of its call, under which the answer comes back.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeferAll;

impl Approver for DeferAll {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Answer> {
        future::ready(Answer::Deferred).boxed()
    }
}

/// An approver that has so long to decide; past that the call is rejected.
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
    /// How long there is where nothing else is said: two minutes.
    pub const DEFAULT: Duration = Duration::from_secs(120);

    /// Limits an approver to two minutes a question.
    pub const fn new(approver: A) -> Self {
        Self::with_limit(approver, Self::DEFAULT)
    }

    /// Limits the time of an approver for a question.
    pub const fn with_limit(approver: A, limit: Duration) -> Self {
        Self { approver, limit }
    }

    /// Returns how long there is.
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
            answer.unwrap_or_else(|_| {
                let why = format!("no answer within {}", render_duration(limit));
                Decision::reject_with_message(why).into()
            })
        };
        timed.boxed()
    }
}

/// Writes a time as a person says it.
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
