//! Tools: their definitions, signatures, contexts and results, and the execution of a call.

mod annotations;
pub(crate) mod argument;
mod availability;
pub(crate) mod check_value;
mod context;
mod coverage;
pub(crate) mod definition;
pub mod dispatch;
mod effects;
pub(crate) mod erased;
pub(crate) mod error;
mod execution;
mod facts;
pub(crate) mod host;
mod hunks;
pub mod links;
mod origin;
mod output;
pub(crate) mod parameter;
pub(crate) mod parser;
mod permit;
mod prepared;
mod preview;
mod principal;
mod progress;
pub mod read_log;
pub(crate) mod return_value;
mod settings;
pub(crate) mod signature;
mod spec;
pub(crate) mod started;
mod state;
pub(crate) mod stored;
mod wrapper;

pub use crate::capability::Confinement;
pub use annotations::{Annotations, Concurrency, Risk};
pub use argument::ToolArg;
pub use availability::Availability;
pub use context::LazyToken;
pub use context::notes::PREFIX as NOTE_PREFIX;
pub use context::{SeenFiles, ToolContext, ToolContextBuilder};
pub use coverage::Coverage;
pub use definition::ToolDef;
pub use effects::{DefaultVerdict, DefaultVerdicts, Effects, SandboxProfile};
pub use erased::Tool;
pub use error::chain_text;
pub use error::{Denial, Failure, FatalError, Interruption, StaleWrite, ToolError, ToolResult};
pub use execution::Execution;
pub use facts::{AccessKind, CallPart, Check, CheckReport, CheckResult, Facts, FileAccess};
pub use host::{FromHost, StateRequirement};
pub(crate) use origin::RUNTIME_PACKAGE;
pub use origin::ToolOrigin;
pub use output::{Artifact, ToolOutput};
pub use parameter::Parameter;
pub use permit::Permit;
pub use prepared::PreparedCall;
#[doc(hidden)]
pub use prepared::TakenCall;
pub use preview::Preview;
pub use principal::Principal;
pub use progress::{
    Audience, InvalidProgressSetting, Progress, ProgressBuffer, ProgressSettings, ProgressSink,
    ProgressStream, ProgressUpdate, Update, tail_for_progress,
};
pub use return_value::IntoToolOutput;
pub use settings::{SettingsSection, SettingsValue, UnconfiguredSettings};
pub use spec::ToolSpec;
pub use state::{State, StateError};
pub use wrapper::ToolWrapper;
