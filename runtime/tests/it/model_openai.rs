//! OpenAI's two protocols: what is sent, and what is read out of what comes back.
#![cfg(feature = "models")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "JSON that is written in place reads better without references"
)]
#![allow(clippy::too_many_lines, reason = "snapshots are long")]

mod chat_dialects;
mod chat_replies;
mod chat_requests;
mod conversation;
mod loopback;
mod notes;
mod properties;
mod reading;
mod responses_replay;
mod responses_replies;
mod responses_requests;
