//! The events in which the work of a turn ends.

use std::time::Duration;

use smallvec::SmallVec;

use super::held_access::HeldAccess;
use super::task_report::TaskReport;
use crate::turn::{Plan, Record};
use helve_core::transcript::CallKey;
use helve_permission::Decision;
use helve_permission::call::JudgedCall;

/// Calls as this process judged them; usually there is one.
pub(super) type JudgedCalls = SmallVec<[(CallKey, Box<JudgedCall>); 2]>;

/// An event that the driver handles. It is large, so that it is handled in place.
pub(super) enum DriverEvent {
    Record(Record),
    /// Records, possibly none.
    Records(Vec<Record>),
    Planned(Vec<Record>, JudgedCalls),
    /// The model replied or failed, after a silence of the given length.
    Replied(Record, Option<Duration>),
    /// An event that few turns have.
    Rare(RareEvent),
}

/// An event that few turns have.
pub(super) enum RareEvent {
    /// The approver changed the arguments of a call, which was judged again.
    CallEdited(CallKey, Box<Plan>, Box<JudgedCall>),
    /// The approver deferred a question: the answer is posted.
    QuestionDeferred(CallKey),
    /// The turn of a delegate is over, or waits for an answer from outside the process.
    DelegateReturned(CallKey, Box<TaskReport>),
    /// A command wants to connect to a host, or to use a folder.
    AccessHeld(Box<HeldAccess>),
    AccessDecided(Box<HeldAccess>, Decision),
    /// Guards have checked the prompt.
    PromptReviewed(Vec<Record>),
    /// Guards have checked the last reply.
    ReplyReviewed(Vec<Record>),
    /// Something may have been posted.
    ReadPostings,
    /// Another process has taken over the session.
    LeaseLost,
}
