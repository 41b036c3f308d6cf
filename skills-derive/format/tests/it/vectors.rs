//! Test vectors of other systems, compared with this crate; see `runtime/tests/support/vectors.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

#[allow(
    clippy::module_inception,
    reason = "what all readers of vectors share has this name"
)]
#[path = "../../../../runtime/tests/support/vectors.rs"]
mod vectors;

mod same;
mod skill_parse;
mod skills_ref;
