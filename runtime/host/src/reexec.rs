//! The entry point of a program that starts itself again as its own helper process.

/// Runs a helper and never returns, if this process was started as a helper.
///
/// A program that opens an isolated sandbox, or that parses untrusted formats in a [worker](crate::worker), starts
/// itself again as a helper. Call this function first in `main`, before the program starts threads, parses its command
/// line or initialises logging; an app that `app!` starts calls it automatically. In every other process, and on
/// systems other than Linux, this function does nothing.
///
/// ```no_run
/// helve::become_helper();
/// // … the program itself
/// ```
pub fn become_helper() {
    #[cfg(target_os = "linux")]
    linux();
}

#[cfg(target_os = "linux")]
fn linux() {
    use crate::support::reexec;

    reexec::set_ready();
    let Some(role) = std::env::var_os(reexec::ROLE) else {
        return;
    };
    match role.to_str() {
        #[cfg(feature = "sandbox")]
        Some(reexec::SUPERVISOR) => crate::sandbox::run_supervisor(),
        #[cfg(feature = "sandbox")]
        Some(reexec::INIT) => crate::sandbox::run_init(),
        // A helper role of another version of this program must not start the program itself.
        role => match role.and_then(|role| role.strip_prefix(reexec::WORKER)) {
            Some(parent) => crate::worker::serve(parent),
            None => std::process::exit(1),
        },
    }
}
