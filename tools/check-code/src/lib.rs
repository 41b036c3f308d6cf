//! The tool of [helve](https://docs.rs/helve) that checks code: it finds the checkers that a project uses, runs them in
//! the sandbox, and returns what they found as rows. Depend on `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod after_edit;
mod checker;
mod diagnostic;
mod parse;
mod plan;
mod project;
mod report;
mod run;
mod tool;

pub use self::after_edit::CheckAfterEdit;
pub use self::checker::{CheckKind, Checker};
pub use self::tool::{CheckCodeSettings, check_code, toolset};
