//! How long to wait before looking again at what goes on without us.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(60);
/// What ran for less than this is looked at again after [`FIRST`].
const SHORT: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(600);

/// Suggests how long to wait before looking again at work that has run for so long: a minute at first, then half as long
/// again as it has run, ten minutes at most.
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
