//! The file door: what every tool reads through.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

use super::{FileSlice, FsError, Listing, Metadata, ReadHandle, ReadRange, ResolvedPath};

/// Reads files below a set of roots, and nothing else.
///
/// Every path is taken as the caller wrote it: a relative path starts at the first root, an absolute path has to lie
/// in one of the roots. `..` and symbolic links work as long as they stay inside; what leaves is
/// [`FsError::Outside`]. Implementations resolve a path in the same act that opens it, so that a path which is
/// swapped for a link in between cannot lead outside; [`resolution`](SandboxFs::resolution) says how far that holds.
///
/// A hard link is an ordinary name of its file: one that was put inside a root from outside is readable.
///
/// All errors name the path as it was given.
pub trait SandboxFs: Send + Sync + Debug {
    /// Names the folders that are reachable, absolute; relative paths start at the first.
    fn roots(&self) -> &[PathBuf];

    /// Says how paths are kept inside the roots.
    fn resolution(&self) -> PathResolution;

    /// Says where an existing path leads, through all links.
    ///
    /// The answer is for showing and for rules. It was true at that moment only, so open the path again through this
    /// door, never by the absolute path that this returns.
    ///
    /// # Errors
    /// When the path is outside, absent or not permitted.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>>;

    /// Describes what is at a path, through links.
    ///
    /// # Errors
    /// When the path is outside, absent or not permitted.
    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>>;

    /// Reads a part of a regular file; never more than [`ReadRange::LIMIT`] bytes at once.
    ///
    /// # Errors
    /// As [`metadata`](SandboxFs::metadata), and when the path is no regular file.
    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> BoxFuture<'a, Result<FileSlice, FsError>>;

    /// Opens a regular file for reading from its start; the handle blocks, so read it on a blocking thread.
    ///
    /// # Errors
    /// As [`read`](SandboxFs::read).
    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>>;

    /// Lists a directory, sorted by name, without following the links in it.
    ///
    /// # Errors
    /// As [`metadata`](SandboxFs::metadata), and when the path is no directory.
    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>>;

    /// Reads a whole regular file of at most `limit` bytes; for `limit`, [`ReadRange::LIMIT`] is the most.
    ///
    /// # Errors
    /// As [`read`](SandboxFs::read), and [`FsError::TooLarge`] when the file has more bytes.
    fn read_whole<'a>(
        &'a self,
        path: &'a Path,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, FsError>> {
        let range = ReadRange {
            offset: 0,
            max: limit,
        };
        Box::pin(async move {
            let slice = self.read(path, range).await?;
            if slice.total > slice.bytes.len() as u64 {
                return Err(FsError::too_large(
                    path,
                    slice.total,
                    limit.min(ReadRange::LIMIT),
                ));
            }
            Ok(slice.bytes)
        })
    }
}

/// How a file system keeps paths inside its roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathResolution {
    /// The kernel resolves and opens in one step, below the root: nothing can be swapped in between.
    Kernel,
    /// Links are resolved first and the result is compared with the root, then opened: whoever can write inside a
    /// root at the same time can swap a link in between and lead a read outside.
    Canonicalised,
    /// Nothing is resolved, because every operation is refused.
    Closed,
}
