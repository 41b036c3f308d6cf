//! The file system of a context that has none.

use std::path::{Path, PathBuf};

use futures_util::future::{BoxFuture, ready};

use super::{
    FileSlice, FsError, Listing, Metadata, PathResolution, ReadHandle, ReadRange, ResolvedPath,
    SandboxFs,
};
use crate::capability::{Capability, Refusal};

/// A file system that refuses every operation: no files were granted.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnavailableFs;

fn refused<T: Send + 'static>() -> BoxFuture<'static, Result<T, FsError>> {
    Box::pin(ready(Err(Refusal::not_granted(Capability::Files).into())))
}

impl SandboxFs for UnavailableFs {
    fn roots(&self) -> &[PathBuf] {
        &[]
    }

    fn resolution(&self) -> PathResolution {
        PathResolution::Closed
    }

    fn resolve<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<ResolvedPath, FsError>> {
        refused()
    }

    fn metadata<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        refused()
    }

    fn read<'a>(&'a self, _: &'a Path, _: ReadRange) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        refused()
    }

    fn open<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        refused()
    }

    fn read_dir<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        refused()
    }
}
