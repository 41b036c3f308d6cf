//! What other systems answer to questions of permission, held against helve; see `support/vectors.rs`.
#![cfg(feature = "shell")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use crate::support::vectors;

mod approval;
mod bash_tool;
mod engine;
pub(crate) mod fixture;
mod matching;
mod paths;
mod suggestions;
