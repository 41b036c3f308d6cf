//! Which processes the kernel ends first when the memory of the machine runs out.

use std::fs;
use std::io;

const PLACE: &str = "/proc/self/oom_score_adj";

/// The score of a worker: the kernel ends it before any process that has less.
pub(crate) const WORKER: u16 = 1000;
/// The score of the processes in a sandbox: as if each used half of the memory besides.
#[cfg(feature = "sandbox")]
pub(crate) const SANDBOXED: u16 = 500;

/// Raises the score of this process, and of all that descends from it. A score that is higher already stays.
///
/// # Errors
/// When the kernel refuses it, as it does where `/proc` is not there or is read-only.
pub(crate) fn raise(score: u16) -> io::Result<()> {
    let now = fs::read_to_string(PLACE)?;
    let now: i32 = now.trim().parse().map_err(io::Error::other)?;
    if now < i32::from(score) {
        fs::write(PLACE, score.to_string())?;
    }
    Ok(())
}
