//! Recorded responses of real providers, held against what a correct decoder reads out of each.
//!
//! They stay outside the project: `HELVE_VECTORS` names their folder, and without it nothing runs. A file of this folder
//! tests one protocol: it makes the model and gives it to [`recorded::check`].
#![cfg(feature = "models")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod anthropic;
mod cuts;
#[cfg(feature = "genai")]
mod genai;
mod openai;
mod reading;
mod recorded;
