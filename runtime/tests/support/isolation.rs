//! Whether this machine can have an isolated sandbox at all. A program of others is asked, so that a mistake of ours fails
//! tests instead of hiding them.

#![allow(dead_code, reason = "each test target uses a part of this")]

use std::process::Command;
use std::sync::OnceLock;

/// Says why the kernel refuses user namespaces, as in many containers; `None` where it gives them.
pub(crate) fn unavailable_reason() -> Option<&'static str> {
    static REFUSED: OnceLock<Option<String>> = OnceLock::new();
    let refused = REFUSED.get_or_init(|| {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let mut unshare = Command::new("unshare");
        let asked = unshare.args(["--user", "--map-root-user", "true"]).output();
        // Where there is no such program, nobody knows, and the tests run.
        let asked = asked.ok().filter(|asked| !asked.status.success())?;
        let why = String::from_utf8_lossy(&asked.stderr);
        Some(why.trim().replace('\n', "; "))
    });
    refused.as_deref()
}

/// Reports whether tests of the isolated sandbox have to be left out, and says in one line which and why.
pub(crate) fn skip(what: &str) -> bool {
    if let Some(why) = unavailable_reason() {
        println!("{what}: nothing ran, because the kernel refuses user namespaces ({why})");
    }
    unavailable_reason().is_some()
}
