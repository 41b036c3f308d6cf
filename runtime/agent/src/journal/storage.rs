//! What a journal needs of the file below it: a seam, so that a full disk can be had without filling one.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write as _};

/// A file that grows at its end.
pub(super) trait Storage: Debug + Send {
    /// Writes all bytes at the end, or fails with some of them written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Cuts the file to so many bytes.
    fn truncate(&mut self, len: u64) -> io::Result<()>;
    /// Returns when what was written is on the disk.
    fn sync(&mut self) -> io::Result<()>;
    fn len(&self) -> io::Result<u64>;
    /// Lets others have it, where only one may.
    fn release(&self) {}
}

impl Storage for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn release(&self) {
        // Closing alone would not do: a child process that is just being started has the file open too, and the lock is
        // theirs as well until it becomes another program.
        let _ = self.unlock();
    }
}
