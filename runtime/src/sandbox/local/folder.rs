//! An open folder and the names in it: by descriptor where the system has that, by path elsewhere.

#[cfg(any(test, not(unix)))]
#[cfg_attr(unix, allow(dead_code, reason = "here only its tests run"))]
mod paths;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use paths::{Folder, adopt, identity, set_unique_time};
#[cfg(unix)]
pub(super) use unix::{Folder, OPEN_FLAGS, copy_attributes, identity, set_unique_time};
