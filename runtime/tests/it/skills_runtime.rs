//! Skills at run time, through the front: folders, precedence, allow-lists, the tools, the prompt.
#![cfg(feature = "skills")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

mod filters;
mod fixture;
mod folders;
mod hostile;
mod precedence;
mod prompt;
mod scan_results;
mod source;
mod tools;
mod watching;
