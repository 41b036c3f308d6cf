//! Files that are open: a command inherits its three streams and nothing else.

use std::io;

/// Marks every descriptor from 3 on to be closed by `execve`, so that a failure until then can still be told.
///
/// # Errors
/// When the kernel does not know the call (before Linux 5.11).
#[expect(unsafe_code, reason = "rustix has no `close_range`")]
pub(super) fn close_on_exec() -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: the flag closes nothing now, so no descriptor that somebody owns becomes invalid in this program.
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
