//! Steps and records with their place in the session.

use serde::{Deserialize, Serialize};

use super::{Record, Step, Turn};
use helve_core::transcript::{CallKey, Origin};

/// A step or a record with its place in the session, and the idempotency keys of the calls that it refers to.
///
/// This is the form for other processes. The key of a call is the text of its
/// [address](helve_core::transcript::CallAddress), the key of a model call is `turn/round/purpose`. Neither contains a
/// count of attempts, so that work which was done under a key is not repeated.
///
/// ```
/// use helve::agent::turn::{Bounds, Turn};
/// use helve::transcript::{CallKey, Origin};
///
/// let origin = Origin::new("main", "t1").delegate(CallKey::new(2, 0), "helper");
/// let turn = Turn::new(origin, Bounds::new(10));
/// assert_eq!(
///     serde_json::to_string(&turn.located_next())?,
///     r#"[{"type":"call_model","round":1,"purpose":"reply","agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/1/reply"]}]"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Located<T> {
    /// The step or the record.
    #[serde(flatten)]
    pub what: T,
    /// The agent, the turn, and the call that the turn works for.
    #[serde(flatten)]
    pub origin: Origin,
    /// The idempotency keys of the calls that the value refers to, in their order, or that of the model call.
    pub keys: Vec<String>,
}

impl<T> Located<T> {
    fn new(origin: &Origin, what: T, keys: Vec<String>) -> Self {
        let origin = origin.clone();
        Self { what, origin, keys }
    }
}

impl Located<Step> {
    /// Adds the place and the keys to a step.
    #[must_use]
    pub fn step(origin: &Origin, step: Step) -> Self {
        let keys = match &step {
            Step::CallModel { round, purpose } => {
                vec![origin.model_call_key(*round, purpose.name())]
            }
            step => call_keys(origin, &step.calls()),
        };
        Self::new(origin, step, keys)
    }
}

impl Located<Record> {
    /// Adds the place and the keys to a record.
    #[must_use]
    pub fn record(origin: &Origin, record: Record) -> Self {
        let keys = match record.model_call() {
            Some((round, purpose)) => vec![origin.model_call_key(round, purpose.name())],
            None => call_keys(origin, record.calls()),
        };
        Self::new(origin, record, keys)
    }
}

fn call_keys(origin: &Origin, calls: &[CallKey]) -> Vec<String> {
    let addresses = calls.iter().map(|call| origin.call_address(*call));
    addresses.map(|address| address.to_string()).collect()
}

impl Turn {
    /// Returns every step that is possible now, as [`Turn::next`] does, with its place and its keys.
    #[must_use]
    pub fn located_next(&self) -> Vec<Located<Step>> {
        let located = |step| Located::step(&self.origin, step);
        self.next().into_iter().map(located).collect()
    }
}
