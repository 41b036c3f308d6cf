//! Sandboxes: where the tools read and write files and run commands.
//!
//! A [`Sandbox`] starts commands, reads what they write by offset, and ends with its session all that runs in it. Its
//! [`Enforcement`] says what holds, layer by layer.
//!
//! A tool never opens a path by itself. It asks a [`SandboxFs`], which knows the folders it may use (its *roots*) and
//! refuses everything else with an [`FsError`] that says what to do instead. [`LocalFs`] is the file system of this
//! machine below chosen roots; [`UnavailableFs`] is the answer where no files were granted.

mod change;
mod child;
#[cfg(all(unix, feature = "docker"))]
mod docker;
mod each;
mod egress;
mod enforcement;
mod entry;
mod failure;
mod fs;
mod fs_error;
mod id;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
mod isolated;
mod lazy;
mod lazy_files;
#[cfg(feature = "files")]
mod local;
mod open;
#[cfg(all(feature = "sandbox", unix))]
mod passthrough;
mod path_location;
mod policy;
#[cfg(feature = "sandbox")]
mod probe;
mod process;
#[cfg(feature = "sandbox")]
mod proxy;
mod read_only;
#[cfg(all(unix, any(feature = "docker", feature = "ssh")))]
mod remote;
mod sandbox_choice;
mod seam;
pub(crate) mod search_path;
// Its profile is made and tested on every Unix; it runs on one.
#[cfg(all(feature = "sandbox", unix, any(test, target_os = "macos")))]
#[cfg_attr(
    not(target_os = "macos"),
    allow(dead_code, unreachable_pub, reason = "here only its tests run")
)]
mod seatbelt;
#[cfg(all(feature = "sandbox", unix))]
mod signals;
#[cfg(feature = "sandbox")]
mod spool;
#[cfg(all(unix, feature = "ssh"))]
mod ssh;
#[cfg(feature = "files")]
mod suggest;
mod unavailable;

pub use change::{Change, FileVersion, WriteCondition};
pub use child::{Child, ChildChunk, ChildOutput, OnDrop, Termination};
#[cfg(all(unix, feature = "docker"))]
pub use docker::{DockerSandbox, DockerSettings, WorkspaceTransfer};
pub use each::FileVisitor;
pub use egress::{Connection, ConnectionApprover, Egress, EgressGate};
pub use enforcement::{Enforcement, Layer, LayerStatus, NewPaths};
pub use entry::{
    DirEntry, FileKind, FileSlice, Listing, Metadata, ReadHandle, ReadRange, ResolvedPath,
};
pub use failure::{Gap, SandboxError};
pub use fs::{PathResolution, SandboxFs};
pub use fs_error::FsError;
pub use id::{ProcessId, SandboxId};
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub use isolated::IsolatedSandbox;
#[cfg(all(feature = "sandbox", target_os = "linux"))]
pub(crate) use isolated::{run_init, run_supervisor};
pub use lazy::LazySandbox;
#[cfg(feature = "shell")]
pub(crate) use lazy::SearchPathState;
pub use lazy_files::LazyFiles;
#[cfg(feature = "files")]
pub use local::LocalFs;
pub use open::open;
#[cfg(feature = "app")]
pub(crate) use open::search_path_of;
#[cfg(all(feature = "sandbox", unix))]
pub use passthrough::PassthroughSandbox;
pub use path_location::{JudgedPaths, PathLocation};
pub use policy::SandboxPolicy;
#[cfg(feature = "sandbox")]
pub use probe::probe;
pub use process::{
    Access, Exit, Limit, Limits, NetworkAccess, OutputChunk, OutputStream, ProcessSpec,
    ProcessStatus, ReadOutput, Signal, Stdin, TerminalSize,
};
#[cfg(feature = "sandbox")]
pub use proxy::Proxy;
pub(crate) use read_only::ReadOnlySandbox;
pub use sandbox_choice::{SandboxChoice, UnknownSandbox};
pub use seam::Sandbox;
pub use search_path::SearchPath;
#[cfg(all(feature = "sandbox", target_os = "macos"))]
pub use seatbelt::SeatbeltSandbox;
#[cfg(all(unix, feature = "ssh"))]
pub use ssh::{SshCredential, SshSandbox, SshSettings};
pub use unavailable::UnavailableFs;
