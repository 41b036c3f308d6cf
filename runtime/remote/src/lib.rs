//! Sandboxes in containers and on other machines for [helve](https://docs.rs/helve), and the choice among all sandboxes.
//! Depend on `helve`, not on this.
//!
//! Modules: `docker` and `ssh` → `remote`, which both share; `open` opens any sandbox by name.

#[cfg(all(unix, feature = "docker"))]
mod docker;
mod open;
#[cfg(all(unix, any(feature = "docker", feature = "ssh")))]
mod remote;
#[cfg(all(unix, feature = "ssh"))]
mod ssh;

#[cfg(all(unix, feature = "docker"))]
pub use docker::{DockerSandbox, DockerSettings, WorkspaceTransfer};
pub use open::{open, search_path_of};
#[cfg(all(unix, feature = "ssh"))]
pub use ssh::{SshCredential, SshSandbox, SshSettings};
