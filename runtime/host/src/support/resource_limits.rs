//! Kernel resource limits of this process.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lowers the soft and the hard limit of a resource.
///
/// # Errors
/// Fails if the kernel rejects the limit.
pub(crate) fn lower_both(resource: Resource, limit: Option<u64>) -> io::Result<()> {
    lower(resource, limit, limit)
}

/// Lowers the limits of a resource. A stricter limit is kept: raising a limit needs a privilege.
///
/// # Errors
/// Fails if the kernel rejects the limit.
pub(crate) fn lower(resource: Resource, soft: Option<u64>, hard: Option<u64>) -> io::Result<()> {
    let now = getrlimit(resource);
    let stricter = |now: Option<u64>, new: Option<u64>| match (now, new) {
        (Some(now), Some(new)) => Some(now.min(new)),
        (now, new) => now.or(new),
    };
    let maximum = stricter(now.maximum, hard);
    let current = stricter(stricter(now.current, soft), maximum);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}
