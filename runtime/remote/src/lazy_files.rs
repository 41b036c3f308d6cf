//! The files of a sandbox that is opened on first use.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use helve_core::sandbox::{
    Change, FileSlice, FileVisitor, FsError, LazySandbox, Listing, Metadata, PathResolution,
    ReadHandle, ReadRange, ResolvedPath, SandboxFs,
};

/// The files of a remote sandbox, which the first operation opens.
#[derive(Debug, Clone)]
pub struct LazyFiles {
    sandbox: Arc<LazySandbox>,
    roots: Vec<PathBuf>,
}

impl LazyFiles {
    /// Creates the file system of a sandbox; `folder` is its working folder.
    pub fn new(sandbox: Arc<LazySandbox>, folder: impl Into<PathBuf>) -> Self {
        Self {
            sandbox,
            roots: vec![folder.into()],
        }
    }

    async fn files(&self) -> Result<Arc<dyn SandboxFs>, FsError> {
        match self.sandbox.get().await {
            Ok(sandbox) => Ok(sandbox.files()),
            Err(source) => Err(FsError::Sandbox { source }),
        }
    }
}

impl SandboxFs for LazyFiles {
    fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    fn resolution(&self) -> PathResolution {
        let opened = self.sandbox.peek();
        opened.map_or(PathResolution::Closed, |sandbox| {
            sandbox.files().resolution()
        })
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>> {
        Box::pin(async move { self.files().await?.resolve(path).await })
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        Box::pin(async move { self.files().await?.metadata(path).await })
    }

    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        Box::pin(async move { self.files().await?.read(path, range).await })
    }

    fn open<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        Box::pin(async move { self.files().await?.open(path).await })
    }

    fn open_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
        visitor: FileVisitor,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move { self.files().await?.open_each(paths, visitor).await })
    }

    fn metadata_each<'a>(
        &'a self,
        paths: Vec<PathBuf>,
    ) -> BoxFuture<'a, Result<Vec<Result<Metadata, FsError>>, FsError>> {
        Box::pin(async move { self.files().await?.metadata_each(paths).await })
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        Box::pin(async move { self.files().await?.read_dir(path).await })
    }

    fn apply(&self, changes: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        Box::pin(async move { self.files().await?.apply(changes).await })
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move { self.files().await?.create_dir(path).await })
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move { self.files().await?.remove_dir_all(path).await })
    }

    fn pack<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        Box::pin(async move { self.files().await?.pack(path).await })
    }

    fn unpack<'a>(
        &'a self,
        path: &'a Path,
        archive: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        Box::pin(async move { self.files().await?.unpack(path, archive).await })
    }
}
