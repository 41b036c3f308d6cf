//! Times as people and models write them.

use helve_agent::journal::Timestamp;

/// What a time lacks that ends after the day, the minute, the second or the millisecond.
const REST: &str = "0000-00-00T00:00:00.000Z";

/// Parses a day, such as `2026-10-01`, or a time of it, such as `2026-10-01T08:00Z` or `2026-10-01 08:00:30`, in the zone
/// UTC.
///
/// ```
/// use helve::session_search::parse_time;
///
/// let time = parse_time("2026-10-01 08:00").expect("a time");
/// assert_eq!(time.to_string(), "2026-10-01T08:00:00.000Z");
/// assert_eq!(parse_time("yesterday"), None);
/// ```
#[must_use]
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim().trim_end_matches(['Z', 'z']);
    if !matches!(text.len(), 10 | 16 | 19 | 23) {
        return None;
    }
    let whole = format!("{}{}", text.replacen(' ', "T", 1), REST.get(text.len()..)?);
    whole.parse().ok()
}
