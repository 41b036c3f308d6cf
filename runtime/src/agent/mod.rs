//! The agent: the [turn], which decides without doing, and the [events](AgentEvent) that tell what is done.

mod event;
pub mod turn;

pub use event::{AgentEvent, EventKind, ProgressStream};
