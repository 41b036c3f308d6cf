//! The agent of an app at work: what makes it, where its conversation is kept, how a turn is driven and left.

pub(super) mod finish;
pub(super) mod interrupt;
mod job;
pub(super) mod open;
mod turn;

pub(super) use job::Job;
pub(super) use open::Kept;
pub(super) use turn::{Work, run};
