//! The native clients over a loopback connection, and what they write onto it.
#![cfg(feature = "models")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod anthropic_reply;
mod anthropic_request;
mod cancelling;
mod failures;
mod server;
mod streaming;
