//! The first call of a program that starts itself again as its own helper.

/// Runs a helper, and never returns, where this process was started as one.
///
/// A program that opens an isolated sandbox, or that parses untrusted formats in a [worker](crate::worker), is started a
/// second time for that. So call this first in `main`, before threads, command lines and logs; an app that
/// [`app!`](macro@crate::app) starts does so by itself. In every other process, and on systems other than Linux, it does
/// nothing.
///
/// ```no_run
/// fn main() {
///     helve::become_helper();
///     // … the program itself
/// }
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
        // A role of another version of this program must not become the program itself.
        role => match role.and_then(|role| role.strip_prefix(reexec::WORKER)) {
            Some(parent) => crate::worker::serve(parent),
            None => std::process::exit(1),
        },
    }
}
