//! The file system of this machine, below chosen roots.

mod apply;
mod archive;
mod each;
mod explain;
mod fault;
mod floor;
mod folder;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, reason = "here only its tests run")
)]
mod portable;
mod roots;
#[cfg(target_os = "linux")]
mod straight;
mod tree;

#[cfg(target_os = "linux")]
use kernel as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::future::BoxFuture;

use self::fault::Fault;
use self::floor::Location;
use self::folder::identity;
use self::roots::Roots;
use super::error::shown;
use super::{
    Change, FileKind, FileSlice, FileVersion, FileVisitor, FsError, JudgedPaths, Listing, Metadata,
    PathPlace, PathResolution, ReadHandle, ReadRange, ResolvedPath, SandboxFs,
};
use crate::dangerous_paths;

/// The files of this machine below one or more roots.
///
/// On Linux the kernel keeps every path inside (`openat2` with `RESOLVE_BENEATH`), whatever is renamed meanwhile;
/// where it cannot (before 5.6, or blocked by a filter), construction fails. Elsewhere links are resolved first and
/// the result is compared, which is racy: see [`PathResolution`].
///
/// Pipes, sockets and devices are never waited for: they are refused by their kind. Work is done on tokio's blocking
/// threads, so its futures need a tokio runtime and panic without one.
#[derive(Debug, Clone)]
pub struct LocalFs {
    roots: Arc<Roots>,
}

impl LocalFs {
    /// Opens one folder as the only root.
    ///
    /// # Errors
    /// When it is no folder that can be opened, or the system cannot confine paths to it.
    pub fn new(root: impl AsRef<Path>) -> Result<Self, FsError> {
        Self::with_roots([root])
    }

    /// Opens several folders as roots; relative paths start at the first.
    ///
    /// # Errors
    /// As [`new`](LocalFs::new), for the first folder that fails.
    pub fn with_roots<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Result<Self, FsError> {
        let mut roots = Roots::new(roots)?;
        roots.floor.deny(dangerous_paths::refused())?;
        let roots = Arc::new(roots);
        Ok(Self { roots })
    }

    /// Keeps more files from everybody who comes through this door, besides those where programs keep the credentials of
    /// their users (`.ssh`, `.aws` and so on): they are neither read nor listed nor written, whoever agrees.
    ///
    /// A pattern is matched on where a path leads, not on how it is written: a name (`.env`, `*.pem`) or names in a row
    /// (`.config/gcloud`) at any depth below a root, or with a leading `/` a path from the top; what is below a match is
    /// covered, too. A root that lies inside of a match was chosen on purpose and can be used. A hard link is a name of
    /// its own.
    ///
    /// # Errors
    /// When a pattern is no glob, or covers everything.
    pub fn deny<P: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, FsError> {
        Arc::make_mut(&mut self.roots).floor.deny(patterns)?;
        Ok(self)
    }

    /// Keeps files from being changed; they can be read. Patterns as in [`deny`](LocalFs::deny).
    ///
    /// # Errors
    /// As [`deny`](LocalFs::deny).
    pub fn protect<P: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, FsError> {
        Arc::make_mut(&mut self.roots).floor.protect(patterns)?;
        Ok(self)
    }

    /// Runs file work on a blocking thread and explains its failure there, since that reads directories too.
    fn blocking<T: Send + 'static>(
        &self,
        path: &Path,
        work: impl FnOnce(&Roots, &Path) -> Result<T, Fault> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, FsError>> {
        let roots = Arc::clone(&self.roots);
        let path = path.to_owned();
        Box::pin(async move {
            let name = path.clone();
            let job = tokio::task::spawn_blocking(move || {
                work(&roots, &path).map_err(|fault| roots.explain(&path, fault))
            });
            job.await
                .unwrap_or_else(|error| Err(FsError::lost_job(&name, error)))
        })
    }
}

impl SandboxFs for LocalFs {
    fn roots(&self) -> &[PathBuf] {
        &self.roots.paths
    }

    fn resolution(&self) -> PathResolution {
        system::RESOLUTION
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>> {
        self.blocking(path, resolve)
    }

    fn place<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathPlace, FsError>> {
        self.blocking(path, Roots::place_of)
    }

    fn held_to(&self, judged: Arc<JudgedPaths>) -> Option<Arc<dyn SandboxFs>> {
        let roots = Arc::new(self.roots.held_to(judged));
        Some(Arc::new(Self { roots }))
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        self.blocking(path, |roots, path| Ok(metadata_of(&roots.find(path)?.0)))
    }

    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        self.blocking(path, move |roots, path| {
            let (file, metadata) = open(roots, path)?;
            Ok(read(file, metadata.len, range)?)
        })
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        self.blocking(path, |roots, path| {
            let (file, metadata) = open(roots, path)?;
            Ok(ReadHandle::new(metadata, file))
        })
    }

    fn open_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
        visitor: FileVisitor,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        let roots = Arc::clone(&self.roots);
        many(move || each::open(&roots, &paths, visitor))
    }

    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> BoxFuture<'a, Result<Vec<Result<Metadata, FsError>>, FsError>> {
        let roots = Arc::clone(&self.roots);
        many(move || each::describe(&roots, &paths))
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        self.blocking(path, |roots, path| roots.list(path, Listing::LIMIT))
    }

    fn apply(&self, changes: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        let roots = Arc::clone(&self.roots);
        Box::pin(async move {
            let job = tokio::task::spawn_blocking(move || {
                apply::apply(&roots, &changes)
                    .map_err(|failure| roots.explain(&failure.path, failure.fault))
            });
            job.await
                .unwrap_or_else(|error| Err(FsError::lost_job(Path::new("."), error)))
        })
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        self.blocking(path, |roots, path| {
            roots.ensure(path, &mut |_| {}).map(drop)
        })
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        self.blocking(path, tree::remove)
    }

    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        let roots = Arc::clone(&self.roots);
        self.blocking(path, move |_, path| {
            let pack: Box<dyn Read + Send> = Box::new(archive::pack(&roots, path)?);
            Ok(pack)
        })
    }

    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        self.blocking(path, move |roots, path| {
            archive::unpack(roots, path, archive)
        })
    }
}

/// Runs work on many files on one blocking thread.
fn many<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> BoxFuture<'static, Result<T, FsError>> {
    Box::pin(async move {
        let job = tokio::task::spawn_blocking(work);
        job.await
            .map_err(|error| FsError::lost_job(Path::new("."), error))
    })
}

fn resolve(roots: &Roots, path: &Path) -> Result<ResolvedPath, Fault> {
    // Whoever judges a call has to know where it leads, into what is denied too; nothing is opened by that.
    let (_, location) = roots.locate(path)?;
    let Location {
        below: relative,
        absolute,
    } = location;
    // Roots may nest, so the answer, not the question, decides how the path is best shown.
    let display = match roots
        .paths
        .first()
        .and_then(|first| absolute.strip_prefix(first).ok())
    {
        Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Some(inside) => shown(inside),
        None => shown(&absolute),
    };
    Ok(ResolvedPath::new(display, relative, absolute))
}

/// Opens a regular file. It is looked at before it is opened, because opening a pipe or a device has effects, and
/// again afterwards, because it may have been swapped.
fn open(roots: &Roots, path: &Path) -> Result<(File, Metadata), Fault> {
    let file = roots.open(path, |stat| regular(stat).map(drop))?;
    let metadata = regular(&file.metadata()?)?;
    Ok((file, metadata))
}

fn regular(stat: &fs::Metadata) -> Result<Metadata, Fault> {
    let metadata = metadata_of(stat);
    match metadata.kind {
        FileKind::File => Ok(metadata),
        kind => Err(Fault::NotAFile(kind)),
    }
}

fn read(mut file: File, len: u64, range: ReadRange) -> io::Result<FileSlice> {
    if len > 0 && range.offset >= len {
        return Ok(FileSlice::new(Vec::new(), len));
    }
    let max = range.max.min(ReadRange::LIMIT);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.offset))?;
    // One byte more than wanted tells whether there is more, also where a file has no size.
    file.take(max as u64 + 1).read_to_end(&mut bytes)?;
    let total = len.max(range.offset + bytes.len() as u64);
    bytes.truncate(max);
    Ok(FileSlice::new(bytes, total))
}

fn metadata_of(stat: &fs::Metadata) -> Metadata {
    let mut metadata = Metadata::new(kind_of(stat.file_type()), stat.len(), stat.modified().ok());
    metadata.version = version_of(stat);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.executable = stat.is_file() && stat.mode() & 0o111 != 0;
    }
    metadata
}

/// Tells the contents of a file apart by which file it is, its size and when it was written. The time of its last
/// change of any kind would add nothing but the changes of modes and names, which lose nobody's work.
fn version_of(stat: &fs::Metadata) -> Option<FileVersion> {
    if !stat.is_file() {
        return None;
    }
    let (device, inode) = identity(stat);
    let written = stat.modified().ok()?;
    let (sign, written) = match written.duration_since(UNIX_EPOCH) {
        Ok(after) => ("", after),
        Err(before) => ("-", before.duration()),
    };
    let (size, nanoseconds) = (stat.len(), written.as_nanos());
    let text = format!("{device:x}-{inode:x}-{size:x}-{sign}{nanoseconds:x}");
    Some(FileVersion::new(text))
}

fn kind_of(kind: fs::FileType) -> FileKind {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return FileKind::Fifo;
        } else if kind.is_socket() {
            return FileKind::Socket;
        } else if kind.is_char_device() {
            return FileKind::CharDevice;
        } else if kind.is_block_device() {
            return FileKind::BlockDevice;
        }
    }
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Other
    }
}
