//! The agent: the [turn], which decides without doing, and the [events](AgentEvent) that tell what is done.

mod compaction;
mod conversation;
mod delegate;
mod driver;
mod event;
mod events;
mod hook;
mod offer;
mod prompt;
pub mod reading;
pub mod session;
mod spec;
pub mod turn;

pub use conversation::Conversation;
pub use driver::{EventSink, TurnReport, TurnStatus};
pub use event::{
    AgentEvent, EventHeader, EventKind, EventLine, InvalidEventLine, NDJSON_VERSION, NdjsonWriter,
};
pub use events::{Backlog, EventReader, Events};
pub use hook::{CallSite, Hook, ModelSite, Next, OnTool};
pub use prompt::{ProjectInstructions, SystemPrompt};
pub use spec::{Agent, Patience};
