//! The head of a provider's response.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

/// The greatest delay before a retry. Providers that are worth waiting for request less, and the bound prevents
/// overflows.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The status and the headers of a provider's response.
///
/// ```
/// use std::time::Duration;
/// use helve::model::ResponseHead;
///
/// let head = ResponseHead::new(429).header("Retry-After", "2");
/// assert_eq!(head.retry_after(), Some(Duration::from_secs(2)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHead {
    status: u16,
    headers: Vec<(String, String)>,
}

impl ResponseHead {
    /// Creates a head without headers.
    #[must_use]
    pub fn new(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
        }
    }

    pub(crate) fn from_response(status: StatusCode, headers: &HeaderMap) -> Self {
        let headers = headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.to_string(), value.into_owned())
        });
        Self {
            status: status.as_u16(),
            headers: headers.collect(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Reports whether the status is a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the first header with this name that is not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter_map(|(known, value)| {
            let is_it = known.eq_ignore_ascii_case(name);
            is_it.then_some(value.trim())
        });
        values.find(|value| !value.is_empty())
    }

    /// Returns the delay that the provider requests before a retry, if any; at most one day.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_at(SystemTime::now())
    }

    fn retry_after_at(&self, now: SystemTime) -> Option<Duration> {
        let milliseconds = self
            .get("retry-after-ms")
            .and_then(|text| parse_duration(text, 0.001));
        let wait = milliseconds.or_else(|| {
            let text = self.get("retry-after")?;
            parse_duration(text, 1.0).or_else(|| {
                let date = httpdate::parse_http_date(text).ok()?;
                Some(date.duration_since(now).unwrap_or_default())
            })
        });
        wait.map(|wait| wait.min(MAX_RETRY_AFTER))
    }

    /// Returns the provider's id of the request.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        ["request-id", "x-request-id", "x-amzn-requestid", "cf-ray"]
            .iter()
            .find_map(|name| self.get(name))
    }
}

/// Parses a duration. Some providers send fractions, which the standard does not allow.
fn parse_duration(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok().filter(|number: &f64| !number.is_nan())?;
    Duration::try_from_secs_f64(number.max(0.0) * unit)
        .ok()
        .or_else(|| (number > 0.0).then_some(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_seconds_milliseconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let wait = |name: &str, value: &str| {
            let head = ResponseHead::new(429).header(name, value);
            head.retry_after_at(now)
        };
        for (name, value, milliseconds) in [
            ("Retry-After", " 7 ", 7_000),
            ("retry-after", "0.5", 500),
            ("retry-after", "Sun, 09 Sep 2001 01:46:50 GMT", 10_000),
            ("retry-after", "Sun, 09 Sep 2001 01:46:30 GMT", 0),
            ("retry-after-ms", "1500", 1_500),
            ("retry-after", "-3", 0),
        ] {
            let expected = Duration::from_millis(milliseconds);
            assert_eq!(wait(name, value), Some(expected), "{value}");
        }
        assert_eq!(wait("retry-after", "1e300"), Some(MAX_RETRY_AFTER));
        assert_eq!(wait("retry-after", "inf"), Some(MAX_RETRY_AFTER));
        for nonsense in ["", "soon", "NaN", "7 s"] {
            assert_eq!(wait("retry-after", nonsense), None, "{nonsense}");
        }
        let both = ResponseHead::new(429)
            .header("retry-after", "9")
            .header("retry-after-ms", "8");
        assert_eq!(both.retry_after(), Some(Duration::from_millis(8)));
    }
}
