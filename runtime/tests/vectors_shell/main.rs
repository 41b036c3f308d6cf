//! What other systems answer about command lines, held against helve; see `support/vectors.rs`. And command lines of
//! our own, which need no vectors.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

extern crate helve_runtime as helve;

#[path = "../vectors_permission/bash_tool.rs"]
mod bash_tool;
#[path = "../support/vectors.rs"]
mod vectors;
#[path = "../vectors_permission/world.rs"]
#[allow(dead_code, reason = "a part of it is used")]
mod world;

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
