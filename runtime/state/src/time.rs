//! Points in time as a state file stores them: milliseconds since 1970, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts a point in time, rounded down; times that are out of range are the closest that can be stored.
pub(crate) fn to_millis(time: SystemTime) -> i64 {
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => millis(after),
        Err(before) => {
            let before = before.duration();
            let whole = millis(before);
            let part = before.subsec_nanos() % 1_000_000 != 0;
            (-whole).saturating_sub(i64::from(part))
        }
    }
}

/// Converts stored milliseconds; times that the system cannot represent are the start of 1970.
pub(crate) fn from_millis(millis: i64) -> SystemTime {
    let duration = Duration::from_millis(millis.unsigned_abs());
    let time = if millis < 0 {
        UNIX_EPOCH.checked_sub(duration)
    } else {
        UNIX_EPOCH.checked_add(duration)
    };
    time.unwrap_or(UNIX_EPOCH)
}

/// Returns the end of a lease, which is at least a millisecond long.
pub(crate) fn lease_end(now: SystemTime, lease: Duration) -> i64 {
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    to_millis(now).saturating_add(lease.max(1))
}
