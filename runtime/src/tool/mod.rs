//! What a tool is: its definition, its signature's three seams, its context, its results, and one call of it.

mod annotations;
pub(crate) mod argument;
mod availability;
mod context;
pub(crate) mod definition;
pub mod dispatch;
mod effects;
pub(crate) mod erased;
pub(crate) mod error;
mod execution;
mod facts;
pub(crate) mod host;
pub(crate) mod judged;
pub(crate) mod links;
mod origin;
mod output;
pub(crate) mod parameter;
pub(crate) mod parser;
mod permit;
mod prepared;
mod preview;
mod principal;
mod progress;
pub(crate) mod reads;
pub(crate) mod returns;
mod spec;
mod state;
pub(crate) mod stored;
mod wrapper;

pub use crate::capability::Confinement;
pub use annotations::{Annotations, Concurrency, Risk};
pub use argument::ToolArg;
pub use availability::Availability;
pub(crate) use context::LazyToken;
pub(crate) use context::notes::PREFIX as NOTE_PREFIX;
pub use context::{ToolContext, ToolContextBuilder};
pub use definition::ToolDef;
pub use effects::{Effects, SandboxProfile, Standing, Standings};
pub use erased::Tool;
pub(crate) use error::chain_text;
pub use error::{Denied, Failure, Fatal, Interrupted, StaleWrite, ToolError, ToolResult};
pub use execution::Execution;
pub use facts::{Access, Check, CheckResult, Checked, Coverage, Facts, Part, Touch};
pub use host::{FromHost, Need};
pub use origin::ToolOrigin;
pub use output::{Artifact, ToolOutput};
pub use parameter::Parameter;
pub use permit::Permit;
pub use prepared::Prepared;
pub use preview::Preview;
pub use principal::Principal;
pub use progress::{
    Audience, InvalidProgressSetting, Progress, ProgressBuffer, ProgressSettings, ProgressSink,
    ProgressStream, ProgressUpdate, Update, tail_for_progress,
};
pub use returns::IntoToolOutput;
pub use spec::ToolSpec;
pub use state::{State, StateError};
pub(crate) use wrapper::Wrapper;
