//! Tests of reading folders of skills through the public API, and of all reported problems.
#![allow(clippy::unwrap_used, reason = "tests panic")]

mod coverage;
mod files;
mod folders;
mod lenient;
mod limits;
mod links;
mod profiles;
mod properties;
mod symlinks;
mod texts;
mod world;
