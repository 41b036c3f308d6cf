//! A terminal for a process.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::sandbox::TerminalSize;

/// Opens a terminal: the parent's end, and the end of the process.
pub(super) fn open(size: TerminalSize) -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    // Other systems lack the flag, so that a child of another thread may inherit the descriptor there.
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let own = openpt(flags)?;
    grantpt(&own)?;
    unlockpt(&own)?;
    let name = ptsname(&own, Vec::new())?;
    let path = OsStr::from_bytes(name.as_bytes());
    let mut options = File::options();
    // Opening the terminal must not make it the controlling terminal of this process.
    std::os::unix::fs::OpenOptionsExt::custom_flags(options.read(true).write(true), libc::O_NOCTTY);
    let theirs = options.open(path)?;
    resize(&own, size)?;
    Ok((own, theirs.into()))
}

/// Sets the size of a terminal.
pub(super) fn resize(terminal: impl AsFd, size: TerminalSize) -> io::Result<()> {
    let size = Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(terminal, size)?)
}
