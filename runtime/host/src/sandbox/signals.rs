//! What a program expects of signals when it starts.

/// Resets the terminating signals to their default action: a process inherits ignored signals from its parents and
/// would then ignore Ctrl-C.
///
/// It is made for the moment between fork and exec, so it calls nothing that allocates or locks.
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
        // SAFETY: `signal` is async-signal-safe, and the default action is no function of this program.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
