//! The sandbox of this machine on Linux: commands in namespaces of their own.
//!
//! Four processes stand between an app and a command:
//!
//! - The *app* holds an [`IsolatedSandbox`], which is a client.
//! - The *keeper* is the app's own program started again (`become_helper`). It stays outside of the namespaces, keeps
//!   output, deadlines and exits, and ends with all that it started as soon as nobody is connected to it any more.
//! - The *init* is the first process inside: it builds the root and forks. It dies with the keeper, and all inside with it.
//! - A *warden* stands above each command, so that a signal reaches all that descends from that command.

mod access;
mod client;
mod confine;
mod identity;
mod init;
mod keeper;
mod mount;
mod os;
mod probe;
mod protection;
mod root;
mod stage;
mod warden;
mod watch;
mod wire;

pub use client::IsolatedSandbox;
#[cfg(feature = "app")]
pub(crate) use client::search_path_before;
pub(crate) use confine::{Cgroup, Confinement, environment, limit_behind, search_path};
pub(crate) use init::given::run_started as run_init;
pub(crate) use keeper::run_started as run_supervisor;
pub(crate) use probe::{Mechanism, Support, probe};
pub(crate) use protection::{Protection, linked_repositories};
