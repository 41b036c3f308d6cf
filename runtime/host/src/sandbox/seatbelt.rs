//! The sandbox of macOS: `sandbox-exec` with a profile that denies what it does not name.
//!
//! The profile is text, made from a policy on any system, so that what it says is tested on each. It judges names, not
//! mounts: what it hides is still there to be guessed at, and what it does not cover is said in the
//! [`Enforcement`](super::Enforcement).

mod enforcement;
mod pattern;
mod profile;
mod quote;
mod runner;

#[cfg(target_os = "macos")]
pub use runner::SeatbeltSandbox;
