//! The turn: the process between a user's message and the end of the answer, as a value.
//!
//! A [`Turn`] performs nothing itself. [`Turn::next`] returns the [`Step`]s that are possible now; a driver performs
//! them and applies their results with [`Turn::apply`] as [`Record`]s, each of which is on disk before it is applied. A
//! turn is the fold of its records: it reads no clock, no randomness and no environment, so the same records give the
//! same steps. A crash, an approval that takes three days and a move to another machine are therefore handled alike:
//! fold the records, apply [`Record::Resumed`] if something was [in flight](Turn::in_flight), and continue.
//!
//! # Calls
//!
//! A call is planned, approved if necessary, run, and finished; [`CallState`] names the stages. Parallel-safe calls run
//! concurrently, at most [`Bounds::parallel`] of them; exclusive calls run alone and in their place; the results keep
//! the order of the calls. All questions of a reply are asked together while earlier safe calls run. The answer to a
//! question may settle later questions that it [covers](Cover), but never safety questions. The message of an approver
//! reaches the model: in the result of a rejected call, and after the result of an allowed one. An approver may also
//! [change the arguments](Record::Edited) of a call, which is then planned again.
//!
//! A call may also be [submitted](Step::Submit) for external execution and wait days for its result, or be
//! [delegated](Step::Delegate) to another agent, in a turn of its own within [the remaining bounds](Turn::remaining) of
//! this turn. A turn that only waits for external answers [is suspended](Turn::is_suspended): its driver can return,
//! and any other driver can resume the turn.
//!
//! A call may [hand off](Execution::HandOff) the prompt: with its result the turn ends, and another agent goes on in a
//! turn of its own, within the [bounds that are left](HandOff::bounds).
//!
//! # Side steps
//!
//! Suggesting tools, compacting the conversation, summarizing and recalling are model calls like a reply, each with its
//! own [`Purpose`]. [`Record::Wanted`] requests a side step before the next reply, at most once each.
//!
//! The result of a compaction has a record of its own: [`Record::Compacted`] replaces the conversation before the last
//! message of the user by the summary, except for the most recent calls of the model; [`Record::NotCompacted`] leaves
//! the conversation unchanged.
//!
//! # Notes and reviews
//!
//! [`Record::Noted`] adds [notes](helve_core::transcript::Note), which the model reads with its next call; notes that
//! come while the model replies or calls run are held back until the results are complete. With a bound on
//! [reviews](Bounds::reviews), the turn does not end with the last reply: [`Step::Review`] asks for its review, and a
//! [`Record::Reviewed`] ends the turn, changes the reply, or demands another one. A turn that was interrupted, failed
//! or reached a bound is never reviewed.
//!
//! # The end of a turn
//!
//! Every bound has its [`EndReason`]; [`Bounds`] defines which calls still run at that point. Whatever ends a turn,
//! each call has exactly one result that states its outcome, and [`Turn::apply_to`] leaves a conversation that every
//! provider accepts.
//!
//! # Serialization
//!
//! Records are JSON objects with a `type`; omitted fields have a plain default, so that old records can always be read.
//! [`Located`] adds the agent, the turn, the parent call and the idempotency keys to a record or a step; the same
//! records give the same steps, byte for byte. A serialized [`Turn`] is only a cache.
//!
//! # Example
//!
//! ```
//! use helve::agent::turn::{Bounds, EndReason, Outcome, Plan, Purpose, Record, Step, Turn};
//! use helve::model::{Reply, StopReason};
//! use helve::permission::Verdict;
//! use helve::transcript::{AssistantMessage, CallKey, Content, Message, Origin, MessagePart, ToolCall, Usage};
//!
//! let done = |round, part, stop| {
//!     let message = AssistantMessage::new(vec![part]);
//!     Record::model_done(round, Reply { message, stop, usage: Usage::new(100, 20) })
//! };
//! let mut turn = Turn::new(Origin::new("main", "t1"), Bounds::new(10));
//! let mut messages = vec![Message::user("Weather in Paris?")];
//! let call = CallKey::new(1, 0);
//!
//! assert_eq!(turn.next(), [Step::CallModel { round: 1, purpose: Purpose::Reply }]);
//! turn.apply_to(&Record::ModelStarted { round: 1, purpose: Purpose::Reply }, &mut messages)?;
//! let wants = MessagePart::ToolCall(ToolCall::new("c1", "get_weather", r#"{"city":"Paris"}"#));
//! turn.apply_to(&done(1, wants, StopReason::ToolUse), &mut messages)?;
//!
//! assert_eq!(turn.next(), [Step::Plan { call }]);
//! let plan = Plan { exclusive: false, idempotent: true, ..Plan::new(Verdict::Allow) };
//! turn.apply_to(&Record::Planned { call, plan }, &mut messages)?;
//!
//! assert_eq!(turn.next(), [Step::Run { calls: vec![call] }]);
//! turn.apply_to(&Record::Started { calls: vec![call] }, &mut messages)?;
//! let outcome = Outcome::ok(Content::text("12 °C, rain"));
//! turn.apply_to(&Record::Finished { call, outcome }, &mut messages)?;
//!
//! // The assistant message and the results, in the order of the calls, are in the transcript now.
//! assert_eq!(messages.len(), 3);
//! assert_eq!(turn.next(), [Step::CallModel { round: 2, purpose: Purpose::Reply }]);
//! turn.apply_to(&Record::ModelStarted { round: 2, purpose: Purpose::Reply }, &mut messages)?;
//! let says = MessagePart::Text { text: "It rains.".into() };
//! turn.apply_to(&done(2, says, StopReason::EndTurn), &mut messages)?;
//! assert_eq!(turn.next(), [Step::End { reason: EndReason::Finished }]);
//! # Ok::<(), helve::agent::turn::StaleRecord>(())
//! ```

mod apply;
mod asked_connection;
mod bounds;
mod call;
mod call_question;
mod compaction;
mod compaction_state;
mod connections;
mod delegate;
mod dispatch;
mod end;
mod hand_off;
mod located;
mod messages;
mod model;
mod not_run;
mod note_state;
mod notes;
mod plan;
mod purpose;
mod record;
mod repetition;
mod review;
mod reviewing;
mod signature;
mod steps;
mod stop;

use serde::{Deserialize, Serialize};

pub use asked_connection::{AskedConnection, AskedFolder};
pub use bounds::Bounds;
pub use call::CallState;
pub use call_question::CallQuestion;
pub(crate) use delegate::add_delegate;
pub use end::EndReason;
pub use hand_off::HandOff;
pub use helve_core::transcript::Totals;
pub use helve_results::Outcome;
pub use located::Located;
pub use plan::{Cover, Execution, Plan};
pub use purpose::Purpose;
pub use record::{Record, StaleRecord};
pub(crate) use review::DEFAULT_REVIEWS;
pub use review::Review;
pub use steps::Step;
pub(crate) use steps::Steps;

use crate::exposure::ExposedTools;
use crate::journal::is_default;
use asked_connection::AskedAccesses;
use call::CallSlot;
use compaction_state::CompactionState;
use helve_core::transcript::{CallAddress, CallKey, Label, Origin, ToolCall};
use note_state::NoteState;
use repetition::RepetitionGuard;

/// A turn: the fold of its [`Record`]s.
///
/// A turn holds the current round and the totals, not the transcript. The serialized form is a cache that is discarded
/// when it cannot be loaded; the records are authoritative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    origin: Origin,
    bounds: Bounds,
    phase: Phase,
    /// The reason for which the turn ends once all work in flight is finished, if it is ending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<EndReason>,
    /// The number of replies so far.
    round: u32,
    /// The side steps that were requested before the next reply and are not done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wanted: Vec<Purpose>,
    /// The side steps before the next reply that are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    made: Vec<Purpose>,
    /// The calls of the last reply.
    calls: Vec<CallSlot>,
    guard: RepetitionGuard,
    totals: Totals,
    /// The tools that are exposed to the model, if this turn has recorded them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offered: Option<ExposedTools>,
    #[serde(default, skip_serializing_if = "is_default")]
    compactions: CompactionState,
    /// The label of the conversation.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    label: Label,
    /// Boxed, since few turns have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accesses: Option<Box<AskedAccesses>>,
    /// Boxed, since few turns have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<Box<NoteState>>,
}

/// The phase of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// The model is to be called next.
    Ready,
    /// The model was called and has not replied.
    Model(Purpose),
    /// Calls of the reply are open.
    Calls,
    /// The last reply is complete, and is to be reviewed.
    Closing,
    Over(EndReason),
}

/// The result of applying a record: the reason why the record is stale, if it is.
type Applied = Result<(), String>;

impl Turn {
    /// Creates a turn without records.
    #[must_use]
    pub fn new(origin: Origin, bounds: Bounds) -> Self {
        let mut turn = Self {
            origin,
            bounds,
            phase: Phase::Ready,
            ending: None,
            round: 0,
            wanted: Vec::new(),
            made: Vec::new(),
            calls: Vec::new(),
            guard: RepetitionGuard::default(),
            totals: Totals::default(),
            offered: None,
            compactions: CompactionState::default(),
            label: Label::user(),
            accesses: None,
            side: None,
        };
        turn.call_model_again();
        turn
    }

    /// Sets the label of the conversation with which the turn begins.
    #[must_use]
    pub fn with_label(mut self, label: Label) -> Self {
        self.set_label(label);
        self
    }

    pub(crate) fn set_label(&mut self, label: Label) {
        self.label = label;
    }

    /// Returns the label of the conversation: the label with which the turn began, joined with the labels of all
    /// results, including those that a summary has replaced.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// Returns the origin: the agent, the turn, and the call that the turn works for.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the address of a call, whose text is its idempotency key.
    #[must_use]
    pub fn address(&self, call: CallKey) -> CallAddress {
        self.origin.call_address(call)
    }

    /// Returns the bounds.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns the totals that the turn has consumed so far.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the tools that are exposed to the model, if this turn has recorded them.
    #[must_use]
    pub fn exposed_tools(&self) -> Option<&ExposedTools> {
        self.offered.as_ref()
    }

    /// Returns the number of replies so far.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns the reason why the turn ended, if it is over.
    #[must_use]
    pub fn end(&self) -> Option<EndReason> {
        match self.phase {
            Phase::Over(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns whether work was started and has no result yet: after a crash, this work was interrupted.
    #[must_use]
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, Phase::Model(_)) || self.count_running() > 0
    }

    /// Returns whether nothing can happen until an external answer or result arrives. The driver of such a turn can
    /// return, and any process can resume the turn.
    #[must_use]
    pub fn is_suspended(&self) -> bool {
        let waits =
            |step: &Step| matches!(step, Step::AwaitAnswers { .. } | Step::AwaitExternal { .. });
        self.phase == Phase::Calls && self.next().iter().all(waits)
    }

    /// Returns a call of the current round, as the model made it.
    #[must_use]
    pub fn call(&self, key: CallKey) -> Option<&ToolCall> {
        self.slot(key).map(|slot| &slot.call)
    }

    /// Iterates over the calls of the current round, in order.
    pub fn calls(&self) -> impl Iterator<Item = (CallKey, &ToolCall)> {
        let slots = self.calls.iter().enumerate();
        slots.map(|(index, slot)| (self.key(index), &slot.call))
    }

    /// Returns the state of a call of the current round.
    #[must_use]
    pub fn state(&self, key: CallKey) -> Option<CallState> {
        self.slot(key).map(|slot| (&slot.state).into())
    }

    /// Returns whether a call is a dry run, which describes its effects instead of performing them.
    #[must_use]
    pub fn is_dry_run(&self, key: CallKey) -> bool {
        self.slot(key).is_some_and(|slot| slot.dry_run)
    }

    /// Returns whether a call was approved.
    #[must_use]
    pub fn is_approved(&self, key: CallKey) -> bool {
        self.slot(key).is_some_and(|slot| slot.approved)
    }

    /// Returns the outcome of a call of the current round, if it has one. Calls that never ran get an outcome, too.
    #[must_use]
    pub fn outcome(&self, key: CallKey) -> Option<&Outcome> {
        self.slot(key)?.outcome()
    }

    fn slot(&self, key: CallKey) -> Option<&CallSlot> {
        if key.round != self.round {
            return None;
        }
        self.calls.get(key.index as usize)
    }

    fn key(&self, index: usize) -> CallKey {
        // A reply with 2^32 calls would exceed the memory first.
        CallKey::new(self.round, u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn count_running(&self) -> usize {
        self.calls.iter().filter(|slot| slot.is_running()).count()
    }

    fn check_open(&self) -> Applied {
        match self.end() {
            Some(_) => Err("the turn is over".to_owned()),
            None => Ok(()),
        }
    }

    /// Reports whether the turn ends as soon as its work in flight has stopped, for example after an interrupt.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.ending.is_some_and(EndReason::stops)
    }

    /// Continues with the next model call, or ends the turn if a bound does not allow the call.
    fn call_model_again(&mut self) {
        let used_up = self.bounds.exhausted(&self.totals);
        let spent = self.totals.model_calls >= self.bounds.model_calls;
        self.phase = match used_up.or(spent.then_some(EndReason::ModelCalls)) {
            Some(reason) => Phase::Over(reason),
            None => Phase::Ready,
        };
    }
}
