//! The files of this machine, and the sandboxes that run commands on it.

#[cfg(all(feature = "sandbox", target_os = "linux"))]
mod isolated;
#[cfg(all(feature = "sandbox", unix))]
pub mod layer_status;
#[cfg(feature = "files")]
mod local;
#[cfg(all(feature = "sandbox", unix))]
mod passthrough;
#[cfg(feature = "sandbox")]
mod probe;
#[cfg(feature = "sandbox")]
mod proxy;
#[cfg(all(feature = "sandbox", unix, any(test, target_os = "macos")))]
#[cfg_attr(
    not(target_os = "macos"),
    allow(dead_code, unreachable_pub, reason = "here only its tests run")
)]
mod seatbelt;
#[cfg(all(feature = "sandbox", unix))]
mod signals;
#[cfg(all(feature = "sandbox", unix))]
mod spool;
#[cfg(feature = "files")]
pub mod suggest;

/// The future of an operation on files.
#[cfg(feature = "files")]
pub type FsFuture<'a, T> = futures_util::future::BoxFuture<'a, Result<T, FsError>>;
/// The future of an operation of a sandbox.
#[cfg(feature = "sandbox")]
pub type SandboxFuture<'a, T> = futures_util::future::BoxFuture<'a, Result<T, SandboxError>>;

// The sandboxes of this module implement the traits of the core.
#[cfg(feature = "files")]
pub(crate) use helve_core::sandbox::*;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub use isolated::{ExtensibleSandbox, IsolatedSandbox};
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub(crate) use isolated::{run_init, run_supervisor};
#[cfg(feature = "files")]
pub(crate) use local::file_version;
#[cfg(feature = "files")]
pub use local::{LocalFs, display_below};
#[cfg(all(feature = "sandbox", unix))]
pub use passthrough::PassthroughSandbox;
#[cfg(feature = "sandbox")]
pub use probe::probe;
#[cfg(feature = "sandbox")]
pub use proxy::Proxy;
#[cfg(all(feature = "sandbox", target_os = "macos"))]
pub use seatbelt::SeatbeltSandbox;
