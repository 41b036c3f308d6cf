//! What other systems let tools reach, held against helve; see `support/vectors.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod fixture;
mod reach;
mod redirects;
mod ssrf;

use crate::capability::server;
use crate::support::vectors;
