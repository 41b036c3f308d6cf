//! What should come of a case.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::call_match::{CallMatch, CallsExpectation};
use crate::conversation_match::{MessageMatch, RequestMatch};
use crate::text_match::TextMatch;

/// What should come of a case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expectation {
    /// The text of the last reply.
    Text(TextMatch),
    /// How the last turn ended: the reason, such as `finished`, or `waiting`.
    End(String),
    /// The error of the last turn.
    Error(TextMatch),
    /// The calls that were made.
    Calls(CallsExpectation),
    /// Calls that were not made.
    Forbidden(Vec<CallMatch>),
    /// The calls about which an approver was asked, all and in order.
    Asked(Vec<CallMatch>),
    /// The addresses of the calls for which the last turn waits, sorted.
    Waiting(Vec<String>),
    /// What the turns consumed at most.
    AtMost(UsageLimits),
    /// What the turns consumed.
    Used(UsageLimits),
    /// Files after the last turn, by their relative paths; `null` for none.
    Files(BTreeMap<String, Option<TextMatch>>),
    /// Events, in this order among others. They may have further keys.
    Events(Vec<Value>),
    /// Events that were not emitted.
    NoEvents(Vec<Value>),
    /// The messages of the conversation.
    Messages(Vec<MessageMatch>),
    /// A request to a model.
    Request(Box<RequestMatch>),
    /// The numbers of requests to models, by their names.
    Requests(BTreeMap<String, usize>),
    /// Whether the conversation has untrusted text.
    Untrusted(bool),
}

/// What turns consume.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UsageLimits {
    /// The number of model calls.
    pub model_calls: Option<u64>,
    /// The number of tool calls.
    pub tool_calls: Option<u64>,
    /// The number of tokens.
    pub tokens: Option<u64>,
    /// The cost.
    pub cost_micro_usd: Option<u64>,
    /// The time.
    pub milliseconds: Option<u64>,
}
