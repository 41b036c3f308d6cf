//! The isolated sandbox of Linux: namespaces, mounts, Landlock, seccomp and limits around every command.

mod confine;
mod probe;
mod protection;

pub(crate) use confine::{Cgroup, Confinement, environment, limit_behind};
pub(crate) use probe::{Mechanism, Support, probe};
pub(crate) use protection::{Protection, linked_repositories};
