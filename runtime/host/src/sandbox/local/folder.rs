//! An open folder and the names in it: by descriptor where the system has that, by path elsewhere.

#[cfg(any(test, not(unix)))]
#[cfg_attr(unix, allow(dead_code, reason = "here only its tests run"))]
mod paths;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use paths::{Folder, copy_attributes, identity, set_unique_time};
#[cfg(target_os = "linux")]
pub(super) use unix::OPEN_FLAGS;
#[cfg(unix)]
pub(super) use unix::{Folder, copy_attributes, identity, set_unique_time};
