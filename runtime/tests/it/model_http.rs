//! The native clients over a loopback connection, and what they write onto it.
#![cfg(feature = "models")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "`json!` makes a value where it is used"
)]

mod anthropic_reply;
mod anthropic_request;
mod arbitrary;
mod cancelling;
mod failures;
mod server;
mod streaming;
