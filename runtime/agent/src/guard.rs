//! Guards: checks of what enters and leaves a turn.

mod built_in;
mod chain;
mod files_exist;
mod links;
mod model_judge;

use std::time::Duration;

use futures_util::future::BoxFuture;

pub use built_in::{JsonReply, MaxLength, NoSecrets};
pub(crate) use chain::Guards;
pub use files_exist::FilesExist;
pub use model_judge::ModelJudge;

use super::turn::Review;
use helve_core::tool::ToolContext;
use helve_core::transcript::{Origin, ToolCall};

/// The time that a guard has by default.
const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// The error of a guard that could not check a text.
pub type GuardError = Box<dyn std::error::Error + Send + Sync>;

/// A point of a turn at which guards check a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GuardPoint {
    /// The prompt of a turn, before the model is called. The text is that of the message; notes are not checked.
    Prompt,
    /// A call, before it is judged. The text is its arguments.
    Call,
    /// The result of a call, before the model reads it. The text is that of the result.
    Result,
    /// The last reply of a turn. The text is that of the reply.
    Reply,
}

/// What a guard checks.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GuardInput<'a> {
    /// The point.
    pub point: GuardPoint,
    /// The text.
    pub text: &'a str,
    /// The call, at [`GuardPoint::Call`] and [`GuardPoint::Result`].
    pub call: Option<&'a ToolCall>,
    /// The number of further replies that guards have demanded so far.
    pub reviews: u32,
    /// The agent and the turn.
    pub origin: &'a Origin,
    /// The context of the turn.
    pub context: &'a ToolContext,
}

/// A check of what enters and leaves a turn, which [`Agent::guard`](super::Agent::guard) adds to an agent.
///
/// Guards fail closed: a guard that returns an error, panics or does not finish [in time](Self::time_limit) blocks, and
/// the failure is the reason. Guards of an agent also hold in its delegates, unless they
/// [say otherwise](Self::holds_in_delegates). They are asked in the order in which they were added; each one checks the
/// text that the earlier ones left, and the first that does not pass or replace ends the check.
///
/// | | [`Prompt`](GuardPoint::Prompt) | [`Call`](GuardPoint::Call) | [`Result`](GuardPoint::Result) | [`Reply`](GuardPoint::Reply) |
/// |---|---|---|---|---|
/// | [`Again`](Review::Again) | adds a note to the prompt | denies the call | adds a note to the result | demands another reply |
/// | [`Replace`](Review::Replace) | replaces the prompt | replaces the arguments, which are judged | replaces the result | replaces the reply |
/// | [`Block`](Review::Block) | ends the turn | denies the call | withholds the result | withholds the reply and ends the turn |
///
/// A guard never allows a call that a policy denies or asks about. Replies that are cut short, and turns that end for
/// another reason than that the model has finished, are not checked. Pieces of a reply are emitted as events while the
/// model writes it; a program that must not show a reply before its check waits for
/// [`EventKind::Reviewed`](super::EventKind::Reviewed).
///
/// ```
/// use helve::agent::turn::{EndReason, Review};
/// use helve::agent::{Agent, Guard, GuardError, GuardInput, GuardPoint};
/// use helve::model::ScriptedModel;
/// use helve::BoxFuture;
///
/// struct NoShouting;
///
/// impl Guard for NoShouting {
///     fn name(&self) -> &str {
///         "no_shouting"
///     }
///
///     fn checks(&self, point: GuardPoint) -> bool {
///         point == GuardPoint::Reply
///     }
///
///     fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>> {
///         let shouts = input.text.contains('!');
///         Box::pin(async move { Ok(if shouts { Review::again("Do not shout.") } else { Review::Pass }) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), helve::agent::AskError> {
/// let model = ScriptedModel::new().say("Hello!").say("Hello.");
/// let agent = Agent::new("main", model).guard(NoShouting);
/// assert_eq!(agent.ask("Greet me.").await?, "Hello.");
/// # Ok(())
/// # }
/// ```
pub trait Guard: Send + Sync {
    /// Returns the name, as it appears in records and events.
    fn name(&self) -> &str;

    /// Returns whether the guard checks texts at a point.
    fn checks(&self, point: GuardPoint) -> bool;

    /// Checks a text.
    ///
    /// # Errors
    /// The text could not be checked; the error blocks.
    fn check<'a>(&'a self, input: &'a GuardInput<'a>) -> BoxFuture<'a, Result<Review, GuardError>>;

    /// Returns the time after which a check that has not finished blocks: 30 seconds by default.
    fn time_limit(&self) -> Duration {
        DEFAULT_TIME
    }

    /// Returns whether the guard also holds in the delegates of the agent: true by default.
    fn holds_in_delegates(&self) -> bool {
        true
    }
}
