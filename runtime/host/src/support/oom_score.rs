//! The OOM score of processes, by which the kernel chooses the process to kill when the memory of the machine runs out.

use std::fs;
use std::io;

const PLACE: &str = "/proc/self/oom_score_adj";

/// The score of a worker: the kernel kills a worker before any process with a lower score.
pub(crate) const WORKER: u16 = 1000;
/// The score of the processes in a sandbox: as if each of them used half of the memory in addition.
#[cfg(feature = "sandbox")]
pub(crate) const SANDBOXED: u16 = 500;

/// Raises the score of this process, and of its later children. A higher score is kept.
///
/// # Errors
/// Fails if the kernel rejects the change, or if `/proc` is missing or read-only.
pub(crate) fn raise(score: u16) -> io::Result<()> {
    let now = fs::read_to_string(PLACE)?;
    let now: i32 = now.trim().parse().map_err(io::Error::other)?;
    if now < i32::from(score) {
        fs::write(PLACE, score.to_string())?;
    }
    Ok(())
}
