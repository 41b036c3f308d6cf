//! The first call of a program that opens isolated sandboxes.

/// Runs the helper of isolated sandboxes, and never returns, where this process was started as one.
///
/// A program that opens an isolated sandbox is started a second time, as the helper that stays beside the sandbox. So call
/// this first in `main`, before threads, command lines and logs; an app that [`app!`](macro@crate::app) starts does so by
/// itself. In every other process, and on systems other than Linux, it does nothing.
///
/// ```no_run
/// # extern crate helve_runtime as helve;
/// fn main() {
///     helve::sandbox::become_helper();
///     // … the program itself
/// }
/// ```
pub fn become_helper() {
    #[cfg(target_os = "linux")]
    super::isolated::run_if_helper();
}
