//! The agent: a [turn], which decides the steps, its driver, which performs them, and the [events](AgentEvent) of both.
//!
//! # Readers
//!
//! [`Agent::run`] sends its events to a closure, which must return at once. [`Events`] provides a closure that
//! distributes the events to any number of readers, each at its own speed; [`NdjsonWriter`] writes events for other
//! programs.
//!
//! # Traces
//!
//! A turn creates nested [`tracing`] spans with the names of OpenTelemetry's semantic conventions for generative AI:
//!
//! | span | field `otel.name` | fields |
//! |---|---|---|
//! | `invoke_agent` | `invoke_agent {agent}` | `gen_ai.agent.name`, `gen_ai.agent.id`, `gen_ai.conversation.id`, `gen_ai.usage.*`, `helve.turn`, `helve.end_reason` |
//! | `chat` | `chat {model}` | `gen_ai.provider.name`, `gen_ai.request.model`, `gen_ai.response.*`, `gen_ai.usage.*` |
//! | `execute_tool` | `execute_tool {tool}` | `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.type`, `helve.call` |
//! | `load_skill` | `load_skill {skill}` | `gen_ai.skill.name` |
//!
//! All spans have `gen_ai.operation.name`; spans of failed operations also have `error.type` and `otel.status_code`.
//! The name of a `tracing` span is a constant, so exporters such as `tracing-opentelemetry` use the name in
//! `otel.name`. Spans do not contain the content of the conversation unless [`Agent::record_content`] is set.

mod answer_format;
mod ask;
mod authority;
mod compaction;
mod conversation;
mod delegate;
mod driver;
mod event;
mod events;
pub mod exposure;
mod guard;
pub mod hook;
pub mod journal;
mod memory_attachments;
mod note_queue;
mod plan_mode;
mod prompt;
mod sanitize;
pub mod session;
mod setters;
mod spec;
pub mod todo;
pub mod turn;
mod turn_models;

pub use ask::{Ask, AskError};
pub use compaction::RetainedFacts;
pub use conversation::Conversation;
pub use delegate::{AgentSource, JobLauncher, NewJob};
pub use driver::{EventSink, TurnReport, TurnStatus};
pub use event::{
    AgentEvent, EventHeader, EventKind, EventLine, InvalidEventLine, NDJSON_VERSION, NdjsonWriter,
};
pub use events::{Backlog, EventReader, Events};
pub use guard::{
    FilesExist, Guard, GuardError, GuardInput, GuardPoint, JsonReply, MaxLength, ModelJudge,
    NoSecrets,
};
pub use helve_permission::call::{CallSite, Next, ResultCache};
pub use helve_tool_search as tool_search;
pub use hook::{Hook, ModelSite, ToolHook};
pub use memory_attachments::{AttachmentError, MemoryAttachments};
pub use note_queue::{Delivery, NoteQueue, QueuedNote};
pub use prompt::{ProjectInstructions, SystemPrompt};
pub use sanitize::sanitize;
pub use spec::{Agent, WaitMode};
