//! A reader of unpacked bytes that ends at a limit.

use std::io::{self, Read};

use crate::limits::MAX_RATIO;

/// The number of bytes that an archive may have when it is unpacked, whatever its own size.
const ALWAYS_ALLOWED: u64 = 1 << 20;

/// Reads at most a number of bytes, and at most [`MAX_RATIO`] times the size of the archive.
pub(super) struct BoundedReader<R> {
    inner: R,
    read: u64,
    limit: ArchiveLimit,
}

/// The limit that an archive exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArchiveLimit {
    #[error("it has more than {0} bytes when it is unpacked")]
    Bytes(u64),
    #[error("it is more than {MAX_RATIO} times as large when it is unpacked ({0} bytes)")]
    Ratio(u64),
}

impl<R> BoundedReader<R> {
    pub(super) fn new(inner: R, max_bytes: u64, packed: u64) -> Self {
        let by_ratio = packed.saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
        let limit = match by_ratio < max_bytes {
            true => ArchiveLimit::Ratio(by_ratio),
            false => ArchiveLimit::Bytes(max_bytes),
        };
        Self {
            inner,
            read: 0,
            limit,
        }
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (ArchiveLimit::Bytes(most) | ArchiveLimit::Ratio(most)) = self.limit;
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        if self.read > most {
            return Err(io::Error::other(self.limit));
        }
        Ok(read)
    }
}

/// Returns the limit that an error is about.
pub(super) fn limit(error: &io::Error) -> Option<ArchiveLimit> {
    error.get_ref()?.downcast_ref().copied()
}
