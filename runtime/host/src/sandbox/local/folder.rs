//! An open folder and the names in it: by descriptor if the system supports that, otherwise by path.

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

/// Sets a unique modification time: kernels give several changes the same time, and then a file that was replaced twice
/// could be taken for the file that was read.
pub(super) fn set_unique_time(new: &File, old: Option<&Metadata>) -> Result<()> {
    let mut now = SystemTime::now();
    if old.is_some_and(|old| old.modified().is_ok_and(|old| old == now)) {
        now += TIME_STEP;
    }
    Ok(new.set_times(FileTimes::new().set_modified(now))?)
}
