//! The agent: the [turn], which decides without doing, and the [events](AgentEvent) that tell what is done.

mod call;
mod driver;
mod event;
pub mod session;
mod spec;
pub mod turn;

pub use driver::{EventSink, TurnReport};
pub use event::{AgentEvent, EventKind};
pub use spec::Agent;
