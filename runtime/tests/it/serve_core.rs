//! The server as a client sees it: JSON over a pair of streams, in the protocol's versions.

#![allow(
    unsafe_code,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests panic and hand over what `json!` has just made, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
mod calls;
mod capabilities;
mod changes;
mod connections;
mod elicitation;
mod initialize;
mod lists;
mod notifications;
mod order;
mod peers;
mod suspended_calls;
mod tools;
use crate::support::wire;
