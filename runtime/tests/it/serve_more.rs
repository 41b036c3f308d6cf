//! What the server answers beside calls: tasks, skills, prompts, resources, completion.

#![allow(
    unsafe_code,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tests panic and hand over what `json!` has just made, and linkme blames its sections on the crate that declares the slice"
)]

// The tools of these tests are written with the public macro, whose expansion says `::helve::…`.
mod prompts;
mod resources;
mod skills;
mod tasks;
use crate::support::wire;
