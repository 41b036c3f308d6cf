//! The agent: the [turn], which decides without doing, and the [events](AgentEvent) that tell what is done.

mod compaction;
mod conversation;
mod delegate;
mod driver;
mod event;
mod hook;
mod offer;
pub mod reading;
pub mod session;
mod spec;
pub mod turn;

pub use conversation::Conversation;
pub use driver::{EventSink, TurnReport, TurnStatus};
pub use event::{AgentEvent, EventKind};
pub use hook::{CallSite, Hook, ModelSite, Next, OnTool};
pub use spec::{Agent, Patience};
