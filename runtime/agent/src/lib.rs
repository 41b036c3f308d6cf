//! The agent: a [turn], which decides the steps, its driver, which performs them, and the [events](AgentEvent) of both.
//!
//! # Readers
//!
//! [`Agent::run`] sends its events to a closure, which must return at once. [`Events`] is one that hands them to any
//! number of readers, each at its own speed; [`NdjsonWriter`] writes them for other programs.
//!
//! # Traces
//!
//! A turn makes [`tracing`] spans in the names of OpenTelemetry's conventions for generative AI, one inside the other:
//!
//! | span | field `otel.name` | fields |
//! |---|---|---|
//! | `invoke_agent` | `invoke_agent {agent}` | `gen_ai.agent.name`, `gen_ai.agent.id`, `gen_ai.conversation.id`, `gen_ai.usage.*`, `helve.turn`, `helve.end_reason` |
//! | `chat` | `chat {model}` | `gen_ai.provider.name`, `gen_ai.request.model`, `gen_ai.response.*`, `gen_ai.usage.*` |
//! | `execute_tool` | `execute_tool {tool}` | `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.type`, `helve.call` |
//! | `load_skill` | `load_skill {skill}` | `gen_ai.skill.name` |
//!
//! All have `gen_ai.operation.name`, and `error.type` with `otel.status_code` where something failed. The name of a span is
//! fixed in the program, so that exporters such as `tracing-opentelemetry` take the one in `otel.name`. What is said is in
//! no span, unless [`Agent::record_content`] asks for it.

mod authority;
mod compaction;
mod conversation;
mod delegate;
mod driver;
mod event;
mod events;
pub mod exposure;
pub mod hook;
pub mod journal;
mod memory_attachments;
mod prompt;
mod sanitize;
pub mod session;
mod setters;
mod spec;
pub mod tool_search;
pub mod turn;

pub use compaction::RetainedFacts;
pub use conversation::Conversation;
pub use driver::{EventSink, TurnReport, TurnStatus};
pub use event::{
    AgentEvent, EventHeader, EventKind, EventLine, InvalidEventLine, NDJSON_VERSION, NdjsonWriter,
};
pub use events::{Backlog, EventReader, Events};
pub use helve_permission::call::{CallSite, Next, ResultCache};
pub use hook::{Hook, ModelSite, ToolHook};
pub use memory_attachments::{AttachmentError, MemoryAttachments};
pub use prompt::{ProjectInstructions, SystemPrompt};
pub use sanitize::sanitize;
pub use spec::{Agent, WaitMode};
