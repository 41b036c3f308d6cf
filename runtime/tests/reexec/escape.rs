//! Attacks on the isolated sandbox, and the work that has to go on in it.
//!
//! Each attack runs outside of the sandbox first, in a world that is thrown away, and has to work there, or it is said why
//! it cannot. Then it runs in the sandbox, and nothing of its effect may be seen. As root, the suite runs once more as an
//! unprivileged user.

#![allow(clippy::unwrap_used, reason = "tests panic")]

mod app;
mod attacks;
mod case;
mod faults;
mod fixture;
mod listeners;
mod plain_runner;
mod sandbox_runner;
mod scenarios;
mod suite;
mod table;
mod user_suite;
mod verdict;

pub(crate) use suite::{run, run_as_role};
