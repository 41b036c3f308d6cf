//! The isolated sandbox of Linux: namespaces, mounts, Landlock, seccomp and limits around every command.

mod confine;
mod probe;
mod protection;

pub(crate) use confine::{Confinement, environment};
pub(crate) use probe::{Mechanism, Support};
pub(crate) use protection::Protection;
