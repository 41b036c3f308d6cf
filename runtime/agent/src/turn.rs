//! The turn: what happens between a user's message and the end of the answer, as a value.
//!
//! A [`Turn`] does nothing. [`Turn::next`] returns which [`Step`]s are possible now; a driver does them and applies
//! their results with [`Turn::apply`], in [`Record`]s, each of which is on disk before it is applied. A turn is the
//! fold of its records: it reads no clock, no randomness and no environment, so the same records give the same steps,
//! and a crash, an approval that takes three days and a move to another machine are one thing: fold the records, apply
//! [`Record::Resumed`] if something was [in flight](Turn::in_flight), go on.
//!
//! # Calls
//!
//! A call is planned, perhaps asked about, run, and finished; [`CallState`] names the stages. Calls that are safe side by
//! side run so, at most [`Bounds::parallel`] of them; exclusive ones run alone and in their place; results keep the order
//! of the calls. All questions of a reply go out together while earlier safe calls run, and the answer to one may settle
//! later ones that it [covers](Cover), though never those of safety. The message of an approver reaches the model: in
//! the result of a call that was rejected, and after the result of one that was allowed.
//!
//! A call may also be [handed out](Step::Submit) and wait days for its result, or be [delegated](Step::Delegate) to
//! another agent, in a turn of its own within [what remains](Turn::remaining) of this turn's bounds. A turn that only
//! waits for answers from outside [is suspended](Turn::is_suspended): its driver can leave, and any other can take it
//! up.
//!
//! # Side steps
//!
//! To suggest tools, compact the conversation, sum up or recall is a model call like any other, with a [`Purpose`] of its
//! own. [`Record::Wanted`] asks for it before the next reply, at most once each.
//!
//! What came of a compaction is recorded by itself: [`Record::Compacted`] puts the summary in the place of the conversation
//! before what the user said last, but for the calls that the model has made last; [`Record::NotCompacted`] leaves it.
//!
//! # The end
//!
//! Every bound has its [`EndReason`]; [`Bounds`] says which calls still run then. Whatever ends a turn, each call has one
//! result that says what became of it, and [`Turn::apply_to`] leaves a conversation that every provider accepts.
//!
//! # The form on disk
//!
//! Records are JSON objects with a `type`; fields that are not said have a plain default, so that records which were
//! written once can be read for ever. [`Located`] adds the agent, the turn, the parent call and the idempotency keys, to a
//! record as to a step; the same records give the same steps, byte for byte. A serialised [`Turn`] is a cache and nothing
//! more.
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
mod bounds;
mod call;
mod compaction;
mod connections;
mod delegate;
mod dispatch;
mod end;
mod located;
mod messages;
mod model;
mod not_run;
mod plan;
mod purpose;
mod record;
mod repetition;
mod signature;
mod steps;
mod stop;

use serde::{Deserialize, Serialize};

pub use bounds::Bounds;
pub use call::CallState;
pub use connections::AskedConnection;
use connections::AskedConnections;
pub use end::EndReason;
pub use helve_core::transcript::Totals;
pub use helve_results::Outcome;
pub use located::Located;
pub use plan::{Cover, Execution, Plan};
pub use purpose::Purpose;
pub use record::{Record, StaleRecord};
pub use steps::{CallQuestion, Step};

use crate::exposure::ExposedTools;
use crate::journal::is_default;
use call::CallSlot;
use compaction::CompactionState;
use helve_core::transcript::{CallAddress, CallKey, Label, Origin, ToolCall};
use repetition::RepetitionGuard;

/// A turn: the fold of its [`Record`]s.
///
/// It holds the current round and the totals, not the transcript. Its serialised form is a cache, to be thrown away
/// when it does not load; the records are the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    origin: Origin,
    bounds: Bounds,
    phase: Phase,
    /// Why the turn ends when everything in flight is in, once that is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<EndReason>,
    /// How many replies there were.
    round: u32,
    /// The side steps that were wanted before the next reply and are not done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wanted: Vec<Purpose>,
    /// Those that are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    made: Vec<Purpose>,
    /// The calls of the last reply.
    calls: Vec<CallSlot>,
    guard: RepetitionGuard,
    totals: Totals,
    /// What the model is shown of its tools, where that was said in this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offered: Option<ExposedTools>,
    #[serde(default, skip_serializing_if = "is_default")]
    compactions: CompactionState,
    /// What the conversation is made of.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    label: Label,
    /// Boxed, since few turns have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connections: Option<Box<AskedConnections>>,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// The model is to be called.
    Ready,
    /// The model was called and has not replied.
    Model(Purpose),
    /// Calls of the reply are open.
    Calls,
    Over(EndReason),
}

/// What comes of a record: why it is stale, if it is.
type Applied = Result<(), String>;

impl Turn {
    /// Creates a turn in which nothing has happened.
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
            connections: None,
        };
        turn.call_model_again();
        turn
    }

    /// Begins with a conversation that is made of this.
    #[must_use]
    pub fn with_label(mut self, label: Label) -> Self {
        self.label = label;
        self
    }

    /// Returns what the conversation is made of: the label that the turn began with, joined with those of all results,
    /// whether a summary stands in their place or not.
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// Returns the agent and the turn that this is, and the call that it works for.
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

    /// Returns what the turn has used up so far.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns what the model is shown of its tools, where that was said in this turn.
    #[must_use]
    pub fn exposed_tools(&self) -> Option<&ExposedTools> {
        self.offered.as_ref()
    }

    /// Returns how many replies there were.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns why the turn ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<EndReason> {
        match self.phase {
            Phase::Over(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns whether something was started and has not reported: after a crash, that is what was cut off.
    #[must_use]
    pub fn in_flight(&self) -> bool {
        matches!(self.phase, Phase::Model(_)) || self.count_running() > 0
    }

    /// Returns whether nothing can happen until an external answer or result arrives. A driver can leave such a turn,
    /// and any process can take it up again.
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

    /// Returns how far a call of the current round has come.
    #[must_use]
    pub fn state(&self, key: CallKey) -> Option<CallState> {
        self.slot(key).map(|slot| (&slot.state).into())
    }

    /// Returns whether a call says what it would do instead of doing it.
    #[must_use]
    pub fn is_dry_run(&self, key: CallKey) -> bool {
        self.slot(key).is_some_and(|slot| slot.dry_run)
    }

    /// Returns whether a call was approved.
    #[must_use]
    pub fn is_approved(&self, key: CallKey) -> bool {
        self.slot(key).is_some_and(|slot| slot.approved)
    }

    /// Returns the outcome of a call of the current round, once it has one; calls that never ran get one, too.
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
        // A reply with four thousand million calls would be stopped by the memory first.
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

    /// Whether what is in flight is to be stopped, rather than waited for.
    fn is_stopping(&self) -> bool {
        self.ending.is_some_and(EndReason::stops)
    }

    /// Goes on to the next model call, or ends the turn where a bound does not let it.
    fn call_model_again(&mut self) {
        let used_up = self.bounds.exhausted(&self.totals);
        let spent = self.totals.model_calls >= self.bounds.model_calls;
        self.phase = match used_up.or(spent.then_some(EndReason::ModelCalls)) {
            Some(reason) => Phase::Over(reason),
            None => Phase::Ready,
        };
    }
}
