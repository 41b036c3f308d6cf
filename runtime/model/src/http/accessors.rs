//! What a client needs of an endpoint that brings a transport of its own.

use std::time::Duration;

use super::Endpoint;

impl Endpoint {
    /// Returns the base URL, with a slash at its end.
    pub(crate) fn base_url(&self) -> String {
        self.url("").into()
    }

    /// Returns how long the provider may say nothing.
    pub(crate) fn idle_limit(&self) -> Duration {
        self.idle_timeout
    }

    /// Returns the headers that are text.
    pub(crate) fn header_values(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.headers.iter();
        texts.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }
}
