//! Hooks as commands: programs that the user or a project runs at the events of an agent, in the JSON form of Claude Code.
//!
//! [`HookSettings`] are read from settings files, [`ProjectHooks`] reduces those of a project to what the user has
//! accepted, and [`CommandHooks`] runs them around the calls of an agent. [`HookApprover`] lets them answer questions.

mod acceptance;
mod alias;
mod approver;
mod command_hooks;
mod condition;
mod enclose;
mod event;
mod handler;
mod input;
mod matcher;
mod merge;
mod output;
mod run;
mod scripts;
mod settings;

pub use acceptance::ProjectHooks;
pub use approver::HookApprover;
pub use command_hooks::{CommandHooks, PromptOutcome};
pub use event::HookEvent;
pub use handler::{HookCommand, HookHandler, HookNote, HookScope, HookSource, OnFailure};
pub use input::HookSession;
pub use matcher::{InvalidMatcher, Matcher};
pub use output::{HookDecision, HookOutcome};
pub use settings::{HookSettings, HookSettingsError};
