//! Shell tools of [helve](https://docs.rs/helve), which run command lines in the session's sandbox. Depend on
//! `helve`, not on this crate.

// Ambient authority is an error in this crate.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod bash;
mod bash_kill;
mod bash_output;
mod blocked;
mod clipped_text;
mod commands;
mod decoder;
mod denied_paths;
mod follow;
mod report;

pub use self::bash::bash;
pub use self::bash_kill::bash_kill;
pub use self::bash_output::bash_output;
