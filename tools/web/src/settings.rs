//! The settings of the tool: the table `[web_fetch]`.

use std::time::Duration;

/// The characters of a page that are shown, where neither the call nor the settings say how many.
const DEFAULT_CHARS: usize = 20_000;

/// How long a page is used again, where the settings do not say.
const DEFAULT_AGE: Duration = Duration::from_mins(15);

/// The settings of `web_fetch`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct WebFetchSettings {
    /// The characters of a page that a call shows which does not say how many [default: 20000]
    #[schemars(range(min = 100, max = 200_000))]
    pub max_chars: Option<usize>,
    /// The minutes for which a session uses a page again; with 0 each call requests it [default: 15]
    #[schemars(range(max = 1440))]
    pub cache_minutes: Option<u64>,
}

impl WebFetchSettings {
    /// Returns the characters that a call shows which does not say how many.
    pub(crate) fn max_chars(settings: Option<&Self>) -> usize {
        let set = settings.and_then(|settings| settings.max_chars);
        set.map_or(DEFAULT_CHARS, |chars| chars.clamp(100, 200_000))
    }

    /// Returns how long a page is used again.
    pub(crate) fn max_age(settings: Option<&Self>) -> Duration {
        let set = settings.and_then(|settings| settings.cache_minutes);
        set.map_or(DEFAULT_AGE, |minutes| {
            Duration::from_mins(minutes.min(1440))
        })
    }
}
