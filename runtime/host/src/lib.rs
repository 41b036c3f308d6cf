//! This machine for [helve](https://docs.rs/helve): its files, its sandboxes, the confined workers, HTTP that is guarded
//! against requests that reach inside, and stored keys and values. Depend on `helve`, not on this.
//!
//! The modules form floors, and no module imports upward: `support` → [`sandbox`], [`worker`] → [`mod@reexec`];
//! [`guarded_http`] and [`key_value`] stand by themselves.

#[cfg(feature = "http")]
pub mod guarded_http;
#[cfg(feature = "kv")]
pub mod key_value;
#[cfg(feature = "worker")]
pub mod reexec;
pub mod sandbox;
#[cfg(all(feature = "worker", target_os = "linux"))]
mod support;
#[cfg(feature = "worker")]
pub mod worker;

/// What the macros expand to.
#[cfg(feature = "worker")]
#[doc(hidden)]
pub mod __private {
    #[cfg(not(any(target_family = "wasm", miri)))]
    pub use linkme;

    pub use crate::worker::private::*;
}
