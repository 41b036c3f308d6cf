//! The sandbox of macOS: `sandbox-exec` with a profile that denies every operation that it does not allow.
//!
//! The profile is text that is generated from a policy on any system, so that it is tested on all systems. Its rules
//! apply to paths, not mounts: the existence of hidden files can be guessed. The [`Enforcement`](super::Enforcement)
//! lists the layers that it does not cover.

mod enforcement;
mod pattern;
mod profile;
mod quote;
mod runner;

#[cfg(target_os = "macos")]
pub use runner::SeatbeltSandbox;
