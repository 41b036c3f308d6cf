//! Sandboxes in containers and on other machines for [helve](https://docs.rs/helve), and the choice among all
//! sandboxes. Depend on `helve`, not on this crate.
//!
//! The modules `docker` and `ssh` share the module `remote`; `open` opens any sandbox by name.

#[cfg(all(unix, feature = "docker"))]
mod docker;
mod lazy_files;
mod open;
#[cfg(all(unix, any(feature = "docker", feature = "ssh")))]
mod remote;
mod sandbox_choice;
#[cfg(all(unix, feature = "ssh"))]
mod ssh;

#[cfg(all(unix, feature = "docker"))]
pub use docker::{DockerSandbox, DockerSettings, WorkspaceTransfer};
pub use lazy_files::LazyFiles;
pub use open::{open, search_path_of};
pub use sandbox_choice::{SandboxChoice, UnknownSandbox};
#[cfg(all(unix, feature = "ssh"))]
pub use ssh::{SshCredential, SshSandbox, SshSettings};
