//! File descriptors: a confined process has its three standard streams and no others.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Marks every descriptor from 3 on close-on-exec, so that a failure until then can still be reported.
///
/// # Errors
/// Fails if the kernel does not support the flag (before Linux 5.11).
#[cfg(feature = "sandbox")]
#[expect(unsafe_code, reason = "rustix has no `close_range`")]
pub(crate) fn close_on_exec() -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: the flag closes nothing now, so no descriptor with an owner becomes invalid in this program.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3 as libc::c_uint,
            libc::c_uint::MAX,
            CLOSE_RANGE_CLOEXEC,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Closes every descriptor but the standard ones and `kept`. The caller owns all others, and must never use or drop them
/// again: that holds for a process that ends without returning to those who opened them.
#[expect(unsafe_code, reason = "rustix has no `close_range`")]
pub(crate) fn close_others(kept: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut kept: Vec<u32> = kept
        .iter()
        .map(|fd| fd.as_raw_fd().unsigned_abs())
        .collect();
    kept.sort_unstable();
    kept.push(u32::MAX);
    let mut first = 3;
    for next in kept {
        // SAFETY: closing descriptors touches no memory; by the contract above, they are not used again.
        if first < next && unsafe { libc::syscall(libc::SYS_close_range, first, next - 1, 0) } != 0
        {
            return Err(io::Error::last_os_error());
        }
        first = first.max(next.saturating_add(1));
    }
    Ok(())
}
