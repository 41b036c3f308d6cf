//! What other systems let tools reach, held against helve; see `support/vectors.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

#[path = "../support/vectors.rs"]
mod vectors;

#[path = "../capability/server.rs"]
mod server;

mod reach;
mod redirects;
mod ssrf;
mod world;
