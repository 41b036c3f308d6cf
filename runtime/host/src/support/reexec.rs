//! The helper role of a process, and the check whether the program can be started as a helper.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

/// The environment variable that starts the program as a helper. Its value is the role.
pub(crate) const ROLE: &str = "HELVE_HELPER";

/// The supervisor, which runs outside of a sandbox.
#[cfg(feature = "sandbox")]
pub(crate) const SUPERVISOR: &str = "supervisor";
/// The init process of a sandbox.
#[cfg(feature = "sandbox")]
pub(crate) const INIT: &str = "init";
/// A confined worker. The PID of the process that started the worker follows.
pub(crate) const WORKER: &str = "worker:";

/// Whether this process checks its role before anything else.
static READY: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_ready() {
    READY.store(true, Ordering::Relaxed);
}

/// Reports whether this program can be started again as a helper.
pub(crate) fn is_ready() -> bool {
    READY.load(Ordering::Relaxed)
}

/// Returns the part of the environment that a helper needs to start. The rest may contain secrets.
pub(crate) fn environment() -> BTreeMap<&'static str, OsString> {
    ["LD_LIBRARY_PATH", "LD_PRELOAD"]
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)))
        .collect()
}
