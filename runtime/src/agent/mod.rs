//! The agent: the [turn], which decides without doing, and the [events](AgentEvent) that tell what is done.

mod call;
mod driver;
mod event;
mod hook;
mod spec;
pub mod turn;

pub use driver::{EventSink, TurnReport};
pub use event::{AgentEvent, EventKind};
pub use hook::{CallSite, Hook, ModelSite, Next, OnTool};
pub use spec::Agent;
