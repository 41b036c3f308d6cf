//! The agent of an app at work: what makes it, where its conversation is kept, how a turn is driven and left.

mod choice;
pub(super) mod finish;
pub(super) mod interrupt;
mod job;
pub(super) mod open;
mod settings;
mod telling;
mod turn;

#[cfg(feature = "models")]
pub(super) use choice::ChoiceError;
pub(super) use choice::recording_arguments;
pub(super) use job::{Job, JobError};
pub(super) use open::Kept;
#[cfg(feature = "serve")]
pub(super) use settings::reduces;
pub(super) use turn::{Work, run};
