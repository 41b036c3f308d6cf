//! `bash`, `bash_output` and `bash_kill`, whole: called as a model calls them, in real sandboxes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make their own files"
)]

mod background;
#[cfg(target_os = "linux")]
mod blocked;
mod ends;
#[cfg(target_os = "linux")]
mod labels;
mod output;
mod path;
mod permission;
mod session;
mod spy;

pub(crate) use session::tests;
