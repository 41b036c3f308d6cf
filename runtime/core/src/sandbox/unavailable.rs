//! The file system of a context without files.

use std::io::Read;
use std::path::{Path, PathBuf};

use futures_util::future::{BoxFuture, ready};

use super::{
    Change, FileSlice, FsError, Listing, Metadata, PathResolution, ReadHandle, ReadRange,
    ResolvedPath, SandboxFs,
};
use crate::refusal::{Capability, Refusal};

/// A file system that refuses every operation, used if no files were granted.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnavailableFs;

fn refuse<T: Send + 'static>() -> BoxFuture<'static, Result<T, FsError>> {
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
        refuse()
    }

    fn metadata<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Metadata, FsError>> {
        refuse()
    }

    fn read<'a>(&'a self, _: &'a Path, _: ReadRange) -> BoxFuture<'a, Result<FileSlice, FsError>> {
        refuse()
    }

    fn open<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<ReadHandle, FsError>> {
        refuse()
    }

    fn read_dir<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Listing, FsError>> {
        refuse()
    }

    fn apply(&self, _: Vec<Change>) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        refuse()
    }

    fn create_dir<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        refuse()
    }

    fn remove_dir_all<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<(), FsError>> {
        refuse()
    }

    fn pack<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        refuse()
    }

    fn unpack<'a>(
        &'a self,
        _: &'a Path,
        _: Box<dyn Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        refuse()
    }
}
