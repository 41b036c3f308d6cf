//! Helpers that every other module may use, and that use no other module.

pub(crate) mod atomic_file;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod bounded_read;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod capabilities;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod descriptors;
pub(crate) mod file_lock;
pub(crate) mod glob;
pub(crate) mod hex;
pub(crate) mod lock;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod oom_score;
pub(crate) mod private_files;
pub(crate) mod random;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod reexec;
#[cfg(all(feature = "worker", target_os = "linux"))]
pub(crate) mod resource_limits;
pub(crate) mod text;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod user_folders;
pub(crate) mod wildcard;
