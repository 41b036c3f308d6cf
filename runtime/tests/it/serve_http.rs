//! The server over HTTP as those meet it who mean harm: raw bytes on a socket, and what comes back.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests panic, and linkme blames its sections on the crate that declares the slice"
)]

mod bodies;
mod connections;
mod ending;
mod messages;
mod names;
mod served;
mod sessions;
mod tokens;
