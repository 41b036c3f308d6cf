//! The ground floor: what every other module may use, and what uses none of them.

pub(crate) mod atomic_file;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod bounded_read;
#[cfg(any(feature = "app", feature = "mcp"))]
pub(crate) mod file_lock;
pub(crate) mod random;
