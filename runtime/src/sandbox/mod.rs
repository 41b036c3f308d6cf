//! The doors to the world below a tool: files, today.
//!
//! A tool never opens a path by itself. It asks a [`SandboxFs`], which knows the folders it may use (its *roots*) and
//! refuses everything else with an [`FsError`] that tells the model what to do instead. [`LocalFs`] is the file system
//! of this machine below chosen roots; [`UnavailableFs`] is the answer where no files were granted.

mod entry;
mod error;
mod fs;
#[cfg(feature = "files")]
mod local;
#[cfg(feature = "files")]
mod suggest;
mod unavailable;

pub use entry::{
    DirEntry, FileKind, FileSlice, Listing, Metadata, ReadHandle, ReadRange, ResolvedPath,
};
pub use error::FsError;
pub use fs::{PathResolution, SandboxFs};
#[cfg(feature = "files")]
pub use local::LocalFs;
pub use unavailable::UnavailableFs;
