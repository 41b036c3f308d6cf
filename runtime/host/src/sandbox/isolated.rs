//! The sandbox of this machine on Linux, which runs commands in their own namespaces.
//!
//! Four kinds of processes take part in running a command:
//!
//! - The *app* holds an [`IsolatedSandbox`], which is a client.
//! - The *supervisor* is the program of the application started again (`become_helper`). It runs outside of the
//!   namespaces, and stores output, deadlines and exit statuses. When the last connection closes, the supervisor ends,
//!   and the sandbox ends with it.
//! - The *init* is the first process inside: it builds the root and forks. The kernel kills the init when the
//!   supervisor ends, and all processes inside when the init ends.
//! - A *shim* is the parent of each command and adopts its orphans, so that a signal reaches all descendants of the
//!   command.

mod client;
mod confine;
mod extensible;
mod identity;
mod init;
mod mount;
mod offer;
mod os;
mod owner_access;
mod probe;
mod protection;
mod root;
mod shim;
mod stage;
mod supervisor;
mod watch;
mod wire;

pub use client::IsolatedSandbox;
use confine::private_folders;
pub(crate) use confine::{Cgroup, Confinement, environment, limit_of_signal, search_path};
pub use extensible::ExtensibleSandbox;
pub(crate) use init::external::run_as_helper as run_init;
pub(crate) use probe::{Mechanism, Support, probe};
pub(crate) use protection::{Protection, linked_repositories};
pub(crate) use supervisor::run_started as run_supervisor;
