//! The file system of this machine, below chosen roots.

mod apply;
mod archive;
mod deny_rules;
mod each;
mod entries;
mod explain;
mod folder;
mod io_failure;
#[cfg(target_os = "linux")]
mod kernel;
mod metadata;
#[cfg(target_os = "linux")]
mod no_symlinks;
#[cfg(any(test, not(target_os = "linux")))]
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, reason = "here only its tests run")
)]
mod portable;
mod regular_file;
mod roots;
mod tree;

#[cfg(target_os = "linux")]
use kernel as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::deny_rules::LocatedPath;
pub(crate) use self::entries::file_version;
use self::io_failure::IoFailure;
use self::metadata::metadata_of;
use self::regular_file::{open, read};
use self::roots::Roots;
use super::fs_error::display_path;
use super::{
    Change, FileSlice, FileVisitor, FsError, FsFuture, JudgedPaths, Listing, Metadata,
    PathLocation, PathResolution, ReadHandle, ReadRange, ResolvedPath, SandboxFs,
};
use helve_core::dangerous_paths;

/// The files of this machine below one or more roots.
///
/// On Linux the kernel confines every path to the roots (`openat2` with `RESOLVE_BENEATH`), even if files are renamed
/// meanwhile; if the kernel cannot do that (before 5.6, or blocked by a filter), construction fails. On other systems
/// links are resolved first and the result is compared, which is racy: see [`PathResolution`].
///
/// Pipes, sockets and devices are rejected by their type, so that no operation blocks on them. Operations run on
/// tokio's blocking threads, so the futures need a tokio runtime and panic without one.
#[derive(Debug, Clone)]
pub struct LocalFs {
    roots: Arc<Roots>,
}

impl LocalFs {
    /// Opens one folder as the only root.
    ///
    /// # Errors
    /// Fails if `root` is not a folder that can be opened, or if the system cannot confine paths to it.
    pub fn new(root: impl AsRef<Path>) -> Result<Self, FsError> {
        Self::with_roots([root])
    }

    /// Opens several folders as roots; relative paths are relative to the first.
    ///
    /// # Errors
    /// As [`new`](LocalFs::new), for the first folder that fails.
    pub fn with_roots<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Result<Self, FsError> {
        let mut roots = Roots::new(roots)?;
        deny_rules::add(
            &mut roots.deny_rules.denied,
            dangerous_paths::denied_names(),
        )?;
        let roots = Arc::new(roots);
        Ok(Self { roots })
    }

    /// Denies more paths, in addition to the files in which programs store the credentials of their users (`.ssh`,
    /// `.aws` and so on): they are neither read nor listed nor written, with any approval.
    ///
    /// A pattern is matched against the resolved path: a name (`.env`, `*.pem`) or consecutive names (`.config/gcloud`)
    /// match at any depth below a root, and a pattern with a leading `/` matches an absolute path; everything below a
    /// match is denied, too. A root inside of a match was chosen on purpose and can be used. A hard link is matched by
    /// its own name only.
    ///
    /// # Errors
    /// Fails if a pattern is not a valid glob, or matches everything.
    pub fn deny<P: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, FsError> {
        let roots = Arc::make_mut(&mut self.roots);
        deny_rules::add(&mut roots.deny_rules.denied, patterns)?;
        Ok(self)
    }

    /// Denies changes of files, which can still be read. The patterns are those of [`deny`](LocalFs::deny).
    ///
    /// # Errors
    /// As [`deny`](LocalFs::deny).
    pub fn protect<P: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, FsError> {
        let roots = Arc::make_mut(&mut self.roots);
        deny_rules::add(&mut roots.deny_rules.protected, patterns)?;
        Ok(self)
    }

    /// Runs a file operation on a blocking thread and explains its failure there, since the explanation also reads
    /// directories.
    fn blocking<T: Send + 'static>(
        &self,
        path: &Path,
        work: impl FnOnce(&Roots, &Path) -> Result<T, IoFailure> + Send + 'static,
    ) -> FsFuture<'static, T> {
        let roots = Arc::clone(&self.roots);
        let path = path.to_owned();
        blocking(path.clone(), move || {
            work(&roots, &path).map_err(|fault| roots.explain(&path, fault))
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

    fn resolve<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ResolvedPath> {
        self.blocking(path, resolve)
    }

    fn locate<'a>(&'a self, path: &'a Path) -> FsFuture<'a, PathLocation> {
        self.blocking(path, Roots::locate_path)
    }

    fn with_judged_paths(&self, judged: Arc<JudgedPaths>) -> Option<Arc<dyn SandboxFs>> {
        let roots = Arc::new(self.roots.with_judged_paths(judged));
        Some(Arc::new(Self { roots }))
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Metadata> {
        self.blocking(path, |roots, path| Ok(metadata_of(&roots.find(path)?.0)))
    }

    fn read<'a>(&'a self, path: &'a Path, range: ReadRange) -> FsFuture<'a, FileSlice> {
        self.blocking(path, move |roots, path| {
            let (file, metadata) = open(roots, path)?;
            Ok(read(file, metadata.len, range)?)
        })
    }

    fn open<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ReadHandle> {
        self.blocking(path, |roots, path| {
            let (file, metadata) = open(roots, path)?;
            Ok(ReadHandle::new(metadata, file))
        })
    }

    fn open_each<'a>(&'a self, paths: Vec<PathBuf>, visitor: FileVisitor) -> FsFuture<'a, ()> {
        let roots = Arc::clone(&self.roots);
        blocking(PathBuf::from("."), move || {
            each::open_each(&roots, &paths, visitor);
            Ok(())
        })
    }

    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> FsFuture<'a, Vec<Result<Metadata, FsError>>> {
        let roots = Arc::clone(&self.roots);
        blocking(PathBuf::from("."), move || {
            Ok(each::describe_each(&roots, &paths))
        })
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Listing> {
        self.blocking(path, |roots, path| roots.list(path, Listing::LIMIT))
    }

    fn apply(&self, changes: Vec<Change>) -> FsFuture<'_, Vec<Metadata>> {
        let roots = Arc::clone(&self.roots);
        blocking(PathBuf::from("."), move || {
            apply::apply(&roots, &changes)
                .map_err(|failure| roots.explain(&failure.path, failure.failure))
        })
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        self.blocking(path, |roots, path| roots.create_folder(path).map(drop))
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        self.blocking(path, tree::remove)
    }

    fn pack<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Box<dyn Read + Send>> {
        let roots = Arc::clone(&self.roots);
        self.blocking(path, move |_, path| {
            let pack: Box<dyn Read + Send> = Box::new(archive::pack(&roots, path)?);
            Ok(pack)
        })
    }

    fn unpack<'a>(&'a self, path: &'a Path, archive: Box<dyn Read + Send>) -> FsFuture<'a, ()> {
        self.blocking(path, move |roots, path| {
            archive::unpack(roots, path, archive)
        })
    }
}

/// Runs `work` on a blocking thread; `name` is the path in the error if the thread is lost.
fn blocking<T: Send + 'static>(
    name: PathBuf,
    work: impl FnOnce() -> Result<T, FsError> + Send + 'static,
) -> FsFuture<'static, T> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(FsError::lost_job(&name, error)))
    })
}

fn resolve(roots: &Roots, path: &Path) -> Result<ResolvedPath, IoFailure> {
    // Denied paths are resolved too, because the check of a call needs the resolved path; no file is opened.
    let (_, location) = roots.locate(path)?;
    let display = display_below(roots.paths.first(), &location.absolute);
    let LocatedPath { below, absolute } = location;
    Ok(ResolvedPath::new(display, below, absolute))
}

/// Displays a path relative to the first root. Roots may nest, so the resolved path decides, not the given path.
pub fn display_below(root: Option<&PathBuf>, absolute: &Path) -> String {
    match root.and_then(|root| absolute.strip_prefix(root).ok()) {
        Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Some(below) => display_path(below),
        None => display_path(absolute),
    }
}
