//! The program as its own helper: which role a start of it has, and whether it can be started so at all.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that makes a start of the program a helper. Its value is the role.
pub(crate) const ROLE: &str = "HELVE_HELPER";

/// The process outside of a sandbox that supervises it.
#[cfg(feature = "sandbox")]
pub(crate) const SUPERVISOR: &str = "supervisor";
/// The first process inside of a sandbox.
#[cfg(feature = "sandbox")]
pub(crate) const INIT: &str = "init";
/// A confined worker. The id of the process that started it follows.
pub(crate) const WORKER: &str = "worker:";

/// Whether this process checks its role before it does anything else.
static READY: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_ready() {
    READY.store(true, Ordering::Relaxed);
}

/// Reports whether this program can be started again as a helper.
pub(crate) fn is_ready() -> bool {
    READY.load(Ordering::Relaxed)
}

/// Returns the part of the environment that a helper needs to start. The rest may hold secrets.
pub(crate) fn environment() -> BTreeMap<&'static str, OsString> {
    ["LD_LIBRARY_PATH", "LD_PRELOAD"]
        .into_iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)))
        .collect()
}
