//! An open folder and the names in it: by descriptor where the system has that, by path elsewhere.

#[cfg(any(test, not(unix)))]
#[cfg_attr(unix, allow(dead_code, reason = "here only its tests run"))]
mod paths;
#[cfg(unix)]
mod unix;

use std::fs::{File, FileTimes, Metadata};
use std::time::SystemTime;

use super::io_failure::Result;
#[cfg(not(unix))]
use paths::TIME_STEP;
#[cfg(unix)]
use unix::TIME_STEP;

#[cfg(not(unix))]
pub(super) use paths::{Folder, copy_attributes, identity};
#[cfg(target_os = "linux")]
pub(super) use unix::OPEN_FLAGS;
#[cfg(unix)]
pub(super) use unix::{Folder, copy_attributes, identity};

/// Stamps a file with a time of its own: kernels stamp several changes alike, and then a file that was replaced twice
/// could pass for the one that was seen.
pub(super) fn set_unique_time(new: &File, old: Option<&Metadata>) -> Result<()> {
    let mut now = SystemTime::now();
    if old.is_some_and(|old| old.modified().is_ok_and(|old| old == now)) {
        now += TIME_STEP;
    }
    Ok(new.set_times(FileTimes::new().set_modified(now))?)
}
