//! The ground floor: what every other module may use, and what uses none of them.

pub(crate) mod atomic_file;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod bounded_read;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod capabilities;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod descriptors;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod file_lock;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod oom_score;
pub(crate) mod random;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod reexec;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod resource_limits;
