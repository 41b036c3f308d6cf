//! The delay before work in the background is polled again.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(60);
/// Work that has run for less than this is polled again after [`FIRST`].
const SHORT: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(600);

/// Returns the delay before work that has run for the given time is polled again: one minute at first, then one and a half
/// times the time that it has run, at most ten minutes.
///
/// ```
/// use std::time::Duration;
/// use helve_runtime::results::next_poll_delay;
///
/// assert_eq!(next_poll_delay(Duration::from_secs(2)), Duration::from_secs(60));
/// assert_eq!(next_poll_delay(Duration::from_secs(100)), Duration::from_secs(150));
/// ```
#[must_use]
pub fn next_poll_delay(running: Duration) -> Duration {
    if running < SHORT {
        return FIRST;
    }
    running.saturating_mul(3).min(LONGEST * 2) / 2
}
