//! The sandbox of macOS: `sandbox-exec` with a profile that denies what it does not name.
//!
//! The profile is text, made from a policy on any system, so that it is tested on all of them. Its rules are about
//! names, not mounts: the existence of hidden files can be guessed. The [`Enforcement`](super::Enforcement) lists what
//! it does not cover.

mod enforcement;
mod pattern;
mod profile;
mod quote;
mod runner;

#[cfg(target_os = "macos")]
pub use runner::SeatbeltSandbox;
