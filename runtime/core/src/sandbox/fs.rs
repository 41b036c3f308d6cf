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

/// Reads and writes files below a set of roots, and nothing else.
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

    /// Returns how paths are kept inside the roots.
    fn resolution(&self) -> PathResolution;

    /// Returns where an existing path leads, through all links.
    ///
    /// The answer is for showing and for rules. It was true at that moment only, so open the path again through this
    /// file system, never by the absolute path that this returns. What the file system denies is resolved like
    /// everything else, so that the check of a call knows where it leads.
    ///
    /// # Errors
    /// When the path is outside, absent or not permitted.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>>;

    /// Finds the entry that a path names and the target that it resolves to, whether anything is there or not.
    ///
    /// As with [`resolve`](SandboxFs::resolve), the answer is for rules and was true at that moment only. Unless an
    /// implementation knows better, a link that leads to nothing counts as the place itself.
    ///
    /// # Errors
    /// When the path is outside or cannot be resolved.
    fn locate<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathLocation, FsError>> {
        Box::pin(path_location::locate(self, path))
    }

    /// Returns these files, held to where paths were when a call was judged: a path that is at another place by the time
    /// it is used is refused as [`FsError::Diverted`], found in the same act that opens it.
    ///
    /// `None` where an implementation cannot promise that, as by default.
    fn with_judged_paths(&self, judged: Arc<JudgedPaths>) -> Option<Arc<dyn SandboxFs>> {
        let _ = judged;
        None
    }

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

    /// Opens regular files in the order of their paths, each as [`open_each`](SandboxFs::open) does, and gives each, or why it
    /// did not open, to `visitor` on a blocking thread, until that breaks off.
    ///
    /// For a search of thousands of files, where a future a file would cost more than the file. Dropping the future
    /// does not stop a visitor on its thread: the visitor has to notice that its result is not needed any more.
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

    /// Describes what is at each of several paths, as [`metadata`](SandboxFs::metadata) does, in their order.
    ///
    /// # Errors
    /// When the runtime shuts down; what is wrong with one path is in its place.
    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> BoxFuture<'a, Result<Vec<Result<Metadata, FsError>>, FsError>> {
        Box::pin(async move { Ok(each::describe_each(self, paths).await) })
    }

    /// Lists a directory, sorted by name, without following the links in it.
    ///
    /// # Errors
    /// As [`metadata`](SandboxFs::metadata), and when the path is no directory.
    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>>;

    /// Makes changes, all or none: where one fails, those before it are taken back.
    ///
    /// Each file is replaced in one step, so that a concurrent reader sees the old contents or the new, and a crash or
    /// a full disk leaves the old. Its mode stays; links on its path are followed, and the file they lead to is
    /// replaced. What comes back describes what was written, in the order of the changes; for a removal, what was
    /// there.
    ///
    /// # Errors
    /// When a path is outside or cannot be written, or its condition does not hold ([`FsError::Changed`],
    /// [`FsError::Exists`]). Nothing was changed then.
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

    /// Makes a folder, and those above it; one that is there is fine.
    ///
    /// # Errors
    /// When the path is outside or cannot be written, or a file is in the way.
    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>>;

    /// Removes a folder with all that is in it, without following links out of it.
    ///
    /// # Errors
    /// When the path is outside, absent, a root, or cannot be removed; some of it may be gone then.
    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>>;

    /// Opens a folder as a tar archive: sorted by name, without owners and times, so that the same files give the same
    /// bytes. The handle blocks, so read it on a blocking thread.
    ///
    /// # Errors
    /// As [`read_dir`](SandboxFs::read_dir).
    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>>;

    /// Unpacks a tar archive into a folder, which is made. Entries that would leave the folder, devices and links to the
    /// outside are refused.
    ///
    /// # Errors
    /// When the path is outside or cannot be written, or the archive is refused; some of it may be there then.
    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>>;

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
    /// Links are resolved first and the result is compared with the root, then opened: a process that can write inside
    /// a root at the same time can swap a link in between and lead a read outside.
    Canonicalised,
    /// Nothing is resolved, because every operation is refused.
    Closed,
}
