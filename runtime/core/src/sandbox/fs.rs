//! The [`SandboxFs`] trait, through which every tool reads and writes files.

use std::fmt::Debug;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{
    Change, FileSlice, FileVisitor, FsError, JudgedPaths, Listing, Metadata, PathLocation,
    ReadHandle, ReadRange, ResolvedPath, WriteCondition, each, path_location,
};

/// Reads and writes files below a set of roots, and no other files.
///
/// A path is taken as the caller wrote it: a relative path starts at the first root, an absolute path must be in one
/// of the roots. `..` and symbolic links may be used as long as the path stays inside the roots; a path that leaves
/// them is refused as [`FsError::Outside`]. Implementations resolve and open a path in one atomic step, so that
/// replacing the path by a link in between cannot lead outside; [`resolution`](SandboxFs::resolution) returns how far
/// that is guaranteed.
///
/// A hard link is an ordinary name of its file: a hard link inside a root to a file outside of it is readable.
///
/// All errors contain the path as it was given.
///
/// ```
/// # extern crate helve_core as helve;
/// use std::path::Path;
/// use helve::prelude::*;
/// use helve::sandbox::ReadRange;
///
/// /// Counts the lines of a file.
/// #[tool(read_only, requires(fs))]
/// async fn count_lines(
///     context: &ToolContext,
///     /// The path of the file.
///     path: &str,
/// ) -> Result<usize, ToolError> {
///     let range = ReadRange { offset: 0, max: ReadRange::LIMIT };
///     let slice = context.fs()?.read(Path::new(path), range).await?;
///     Ok(slice.bytes.split(|byte| *byte == b'\n').count())
/// }
/// ```
pub trait SandboxFs: Send + Sync + Debug {
    /// Returns the absolute paths of the roots; relative paths start at the first.
    fn roots(&self) -> &[PathBuf];

    /// Returns how paths are kept inside the roots.
    fn resolution(&self) -> PathResolution;

    /// Returns the location of an existing path, with all links resolved.
    ///
    /// The result is for display and for rules. It was valid only at that moment, so open the path again through this
    /// file system, never by the returned absolute path. A path that the file system denies is resolved like any
    /// other, so that the check of a call sees its location.
    ///
    /// # Errors
    /// When the path is outside, absent or not permitted.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>>;

    /// Finds the entry that a path names and the target that it resolves to, whether or not they exist.
    ///
    /// As with [`resolve`](SandboxFs::resolve), the result is for rules and was valid only at that moment. By default,
    /// the target of a dangling link is the link itself.
    ///
    /// # Errors
    /// When the path is outside or cannot be resolved.
    fn locate<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathLocation, FsError>> {
        Box::pin(path_location::locate(self, path))
    }

    /// Returns this file system, restricted to the locations that paths had when a call was judged: a path whose
    /// location differs when it is used is refused as [`FsError::Diverted`]. The check is atomic with opening the
    /// path.
    ///
    /// Returns `None` if the implementation cannot guarantee this, which is the default.
    fn with_judged_paths(&self, judged: Arc<JudgedPaths>) -> Option<Arc<dyn SandboxFs>> {
        let _ = judged;
        None
    }

    /// Returns the metadata of a path, following links.
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

    /// Opens a regular file for reading from its start. The handle blocks, so read it on a blocking thread.
    ///
    /// # Errors
    /// As [`read`](SandboxFs::read).
    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>>;

    /// Opens regular files in the order of their paths, each as [`open`](SandboxFs::open) does, and passes each result
    /// to `visitor` on a blocking thread, until the visitor stops.
    ///
    /// This is for a search of thousands of files, where one future per file would cost more than the file. Dropping
    /// the future does not stop a visitor on its thread: the visitor must detect that its result is no longer needed.
    ///
    /// # Errors
    /// When the visitor panics, or the runtime shuts down.
    fn open_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
        visitor: FileVisitor,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(each::open_each(self, paths, visitor))
    }

    /// Returns the metadata of several paths in their order, each as [`metadata`](SandboxFs::metadata) does.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down; the error of a single path is in the result of that path.
    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> BoxFuture<'a, Result<Vec<Result<Metadata, FsError>>, FsError>> {
        Box::pin(async move { Ok(each::describe_each(self, paths).await) })
    }

    /// Lists a directory, sorted by name, without following links in it.
    ///
    /// # Errors
    /// As [`metadata`](SandboxFs::metadata), and when the path is no directory.
    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>>;

    /// Applies changes, all or none: if one fails, the changes before it are reverted.
    ///
    /// Each file is replaced atomically, so that a concurrent reader sees either the old contents or the new, and a
    /// crash or a full disk leaves the old. The mode of the file is kept; links on its path are followed, and the file
    /// that they lead to is replaced. Returns the metadata of the written files, in the order of the changes; for a
    /// removal, that of the removed file.
    ///
    /// # Errors
    /// When a path is outside or cannot be written, or its condition does not hold ([`FsError::Changed`],
    /// [`FsError::Exists`]). In this case, nothing was changed.
    fn apply(&self, changes: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>>;

    /// Replaces the contents of a file, as [`apply`](SandboxFs::apply) does.
    ///
    /// # Errors
    /// As [`apply`](SandboxFs::apply).
    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        condition: WriteCondition,
    ) -> BoxFuture<'a, Result<Metadata, FsError>> {
        let write = Change::Write {
            path: path.to_owned(),
            bytes,
            condition,
        };
        Box::pin(async move {
            let done = self.apply(vec![write]).await?;
            done.into_iter()
                .next()
                .ok_or_else(|| FsError::lost_reply(path))
        })
    }

    /// Creates a folder and its parents; a folder that exists is no error.
    ///
    /// # Errors
    /// When the path is outside or cannot be written, or a file is in the way.
    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>>;

    /// Removes a folder with its contents, without following links.
    ///
    /// # Errors
    ///
    /// When the path is outside, absent, a root, or cannot be removed; a part of the contents may have been removed by
    /// then.
    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>>;

    /// Opens a folder as a tar archive: sorted by name, without owners and times, so that equal files result in equal
    /// bytes. The handle blocks, so read it on a blocking thread.
    ///
    /// # Errors
    /// As [`read_dir`](SandboxFs::read_dir).
    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>>;

    /// Unpacks a tar archive into a folder, which is created. Devices, entries that would leave the folder, and links
    /// to the outside are refused.
    ///
    /// # Errors
    ///
    /// When the path is outside or cannot be written, or the archive is refused; a part of its entries may have been
    /// written by then.
    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>>;

    /// Reads a whole regular file of at most `limit` bytes; `limit` is at most [`ReadRange::LIMIT`].
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
    /// The kernel resolves and opens a path below the root in one step: nothing can be replaced in between.
    Kernel,
    /// Links are resolved first and the result is compared with the root, then opened: a concurrent process that can
    /// write inside a root can create a link in between, which leads a read outside.
    Canonicalised,
    /// Paths are not resolved, because every operation is refused.
    Closed,
}
