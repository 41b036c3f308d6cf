//! The file system of this machine, below chosen roots.

mod explain;
mod fault;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
mod roots;

#[cfg(target_os = "linux")]
use kernel as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use self::fault::Fault;
use self::roots::Roots;
use super::error::shown;
use super::{
    Change, FileKind, FileSlice, FsError, Listing, Metadata, PathResolution, ReadHandle, ReadRange,
    ResolvedPath, SandboxFs,
};

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
        let roots = Arc::new(Roots::new(roots)?);
        Ok(Self { roots })
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
            let name = shown(&path);
            let job = tokio::task::spawn_blocking(move || {
                work(&roots, &path).map_err(|fault| roots.explain(&path, fault))
            });
            // Only a runtime that shuts down, or a panic, ends a job early.
            job.await.unwrap_or_else(|error| {
                Err(FsError::Io {
                    path: name,
                    source: io::Error::other(error),
                })
            })
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

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        self.blocking(path, |roots, path| {
            let stat = roots.at(path, system::Root::stat)?;
            Ok(metadata_of(&stat))
        })
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

    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        self.blocking(path, |roots, path| {
            roots.at(path, |root, at| root.list(at, Listing::LIMIT))
        })
    }

    fn apply(&self, _: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        read_only(Path::new("."))
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        read_only(path)
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        read_only(path)
    }

    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        read_only(path)
    }

    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        _: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        read_only(path)
    }
}

fn read_only<'a, T: Send + 'a>(path: &Path) -> BoxFuture<'a, Result<T, FsError>> {
    let path = shown(path);
    Box::pin(async move { Err(FsError::ReadOnly { path }) })
}

fn resolve(roots: &Roots, path: &Path) -> Result<ResolvedPath, Fault> {
    let (relative, absolute) = roots.at(path, system::Root::locate)?;
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
    roots.at(path, |root, at| {
        regular(&root.stat(at)?)?;
        let file = root.open(at)?;
        let metadata = regular(&file.metadata()?)?;
        Ok((file, metadata))
    })
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
    Metadata::new(kind_of(stat.file_type()), stat.len(), stat.modified().ok())
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
