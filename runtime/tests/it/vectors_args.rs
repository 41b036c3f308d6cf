//! How other systems read arguments, and how long they take texts to be, held against helve; see `support/vectors.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use crate::support::vectors;

mod host_values;
mod json_repair;
mod tokens;
