//! The implementations for this machine of [helve](https://docs.rs/helve): files, sandboxes, confined workers, and an
//! HTTP client that is guarded against requests to internal hosts. Depend on `helve`, not on this crate.
//!
//! The modules form layers, and no module imports from a layer above it: `support` → [`sandbox`], [`worker`] →
//! [`mod@reexec`], [`file_history`]; [`guarded_http`] is independent of the others.

#[cfg(feature = "files")]
pub mod file_history;
#[cfg(feature = "http")]
pub mod guarded_http;
#[cfg(feature = "worker")]
pub mod reexec;
pub mod sandbox;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod support;
#[cfg(feature = "worker")]
pub mod worker;

/// Items that the macros expand to.
#[cfg(feature = "worker")]
#[doc(hidden)]
pub mod __private {
    #[cfg(not(any(target_family = "wasm", miri)))]
    pub use linkme;

    pub use crate::worker::private::*;
}
