//! Resets the signal dispositions that a program expects when it starts.

/// Resets the terminating signals to their default action: a process inherits ignored signals from its parents and
/// would then ignore Ctrl-C.
///
/// This function runs between fork and exec, so it calls no function that allocates or locks.
#[expect(unsafe_code, reason = "neither std nor rustix sets what a signal does")]
pub(super) fn reset_to_default() {
    for signal in [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ] {
        // SAFETY: `signal` is async-signal-safe, and the default action is not a function of this program.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
