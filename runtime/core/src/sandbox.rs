//! The interface to files and to the sandboxes in which commands run. This module contains the traits; other crates
//! implement them.
//!
//! A [`Sandbox`] starts commands, returns their output by offset, and ends all its processes with its session. Its
//! [`Enforcement`] lists the enforced layers.
//!
//! A tool never opens a path itself. It uses a [`SandboxFs`], which has a list of allowed folders (its *roots*) and
//! refuses all other paths with an [`FsError`] that contains advice.

mod blocked;
mod change;
mod child;
mod each;
mod egress;
mod egress_gate;
mod enforcement;
mod entry;
mod failure;
mod fs;
pub mod fs_error;
mod id;
mod lazy;
pub mod path_location;
mod policy;
mod process;
mod read_only;
mod seam;
pub mod search_path;

pub use blocked::{BlockedAccess, FolderAccess, FolderRequest, GrantScope};
pub use change::{Change, FileVersion, WriteCondition};
pub use child::{Child, ChildChunk, ChildOutput, OnDrop, Termination};
pub use each::FileVisitor;
pub use egress::{Connection, ConnectionApprover, Egress};
pub use egress_gate::EgressGate;
pub use enforcement::{Enforcement, Layer, LayerStatus, NewPaths};
pub use entry::{
    DirEntry, FileKind, FileSlice, Listing, Metadata, ReadHandle, ReadRange, ResolvedPath,
};
pub use failure::{Gap, SandboxError};
pub use fs::{PathResolution, SandboxFs};
pub use fs_error::FsError;
pub use id::{ProcessId, SandboxId};
pub use lazy::{LazySandbox, SearchPathState};
pub use path_location::{JudgedPaths, PathLocation};
pub use policy::SandboxPolicy;
pub use process::{
    Access, Exit, Limit, Limits, NetworkAccess, OutputChunk, OutputStream, ProcessSpec,
    ProcessStatus, ReadOutput, Signal, Stdin, TerminalSize,
};
pub use read_only::ReadOnlySandbox;
pub use seam::Sandbox;
pub use search_path::{SearchPath, SearchRoot};
