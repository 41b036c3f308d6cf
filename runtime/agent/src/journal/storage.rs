//! The file operations that a journal uses, as a trait, so that tests can simulate a full disk.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write as _};

/// A file that grows at its end.
pub(super) trait Storage: Debug + Send {
    /// Appends the bytes. On an error, some of the bytes may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Truncates the file to a length in bytes.
    fn truncate(&mut self, len: u64) -> io::Result<()>;
    /// Writes all data to the disk before it returns.
    fn sync(&mut self) -> io::Result<()>;
    fn len(&self) -> io::Result<u64>;
    /// Releases the lock on the file, if there is one.
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
        // Closing the file is not enough: a child process that is being started also has the file open, and holds the
        // lock until it executes another program.
        let _ = self.unlock();
    }
}
