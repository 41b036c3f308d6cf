//! What other systems answer about command lines, held against helve; see `support/vectors.rs`. And command lines of
//! our own, which need no vectors.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod bash;
mod bash_permission;
mod bypass;
mod corpora;
mod engine;
mod hostile;
mod known_defects;
mod rules_changed;
mod sandbox_policy;
mod terminal_guard;

use crate::support::vectors;
use crate::vectors_permission::fixture;
