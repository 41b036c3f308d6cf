//! The delay before work in the background is polled again.

use std::time::Duration;

const FIRST_DELAY: Duration = Duration::from_secs(60);
/// The running time below which work is polled again after [`FIRST_DELAY`].
const SHORT_RUN: Duration = Duration::from_secs(30);
const MAX_DELAY: Duration = Duration::from_secs(600);

/// Returns the delay before work that has run for the given time is polled again: one minute at first, then one and a half
/// times the time that it has run, at most ten minutes.
///
/// ```
/// use std::time::Duration;
/// use helve::results::next_poll_delay;
///
/// assert_eq!(next_poll_delay(Duration::from_secs(2)), Duration::from_secs(60));
/// assert_eq!(next_poll_delay(Duration::from_secs(100)), Duration::from_secs(150));
/// ```
#[must_use]
pub fn next_poll_delay(running: Duration) -> Duration {
    if running < SHORT_RUN {
        return FIRST_DELAY;
    }
    running.saturating_mul(3).min(MAX_DELAY * 2) / 2
}
