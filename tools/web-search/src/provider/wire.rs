//! Requests, and the fields that the answers of most engines have.

use helve::capability::HttpRequest;
use helve::transcript::Cost;
use serde::Deserialize;
use url::Url;

use crate::engine::{Freshness, SearchHit};

/// Appends a path to the address of an engine, which may have a path itself.
pub(super) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let joined = format!("{}{path}", base.path().trim_end_matches('/'));
    url.set_path(&joined);
    url.set_query(None);
    url.set_fragment(None);
    url
}

pub(super) fn get(url: &Url) -> HttpRequest {
    let mut request = HttpRequest::new("GET", url.as_str());
    request
        .headers
        .push(("accept".into(), "application/json".into()));
    request
}

pub(super) fn post(url: &Url, body: &serde_json::Value) -> HttpRequest {
    let mut request = HttpRequest::new("POST", url.as_str());
    let headers = [
        ("accept", "application/json"),
        ("content-type", "application/json"),
    ];
    request
        .headers
        .extend(headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    request.body = body.to_string().into_bytes();
    request
}

/// The fields that the results of most engines have, each under one of several names.
#[derive(Deserialize)]
pub(super) struct RawHit {
    title: Option<String>,
    url: Option<String>,
    #[serde(alias = "description")]
    content: Option<String>,
    #[serde(alias = "publishedDate", alias = "page_age")]
    published_date: Option<String>,
    score: Option<f64>,
    engine: Option<String>,
}

impl RawHit {
    /// Returns the result; `None` without an address.
    pub(super) fn into_hit(self) -> Option<SearchHit> {
        let url = self.url.filter(|url| !url.is_empty())?;
        Some(SearchHit {
            title: self.title.unwrap_or_default(),
            snippet: self.content.unwrap_or_default(),
            published: self.published_date,
            source: self.engine,
            score: self.score,
            ..SearchHit::new(url)
        })
    }
}

/// Converts dollars; what is no amount is no cost.
pub(super) fn dollars(amount: f64) -> Option<Cost> {
    let micros = amount * 1e6;
    (micros.is_finite() && micros >= 0.0).then(|| Cost::from_micros(micros.round() as u64))
}

/// Returns the day from which on a result is fresh, for engines that have no name for that.
#[expect(
    clippy::disallowed_methods,
    reason = "the engines have no clock of the host, and count in days"
)]
pub(super) fn start_of(freshness: Freshness) -> String {
    let days = match freshness {
        Freshness::Day => 1,
        Freshness::Week => 7,
        Freshness::Month => 31,
        Freshness::Year => 366,
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let today = now.map_or(0, |now| now.as_secs() / 86_400);
    crate::text::date_of_day(today.saturating_sub(days))
}
