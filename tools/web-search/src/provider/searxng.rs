//! SearXNG.

use helve::capability::HttpRequest;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::wire::{RawHit, endpoint, get};
use crate::engine::{Freshness, SearchAnswer, SearchQuery};

#[derive(Deserialize)]
struct SearxngAnswer {
    #[serde(default)]
    results: Vec<RawHit>,
    /// Pairs of the name of an engine and the reason.
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

pub(super) fn request(base: &Url, query: &SearchQuery) -> HttpRequest {
    let mut url = endpoint(base, "/search");
    {
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", &query.with_site_operators());
        pairs.append_pair("format", "json");
        pairs.append_pair("pageno", &query.page.to_string());
        // The engine has no week.
        let range = query.freshness.map(|freshness| match freshness {
            Freshness::Week => Freshness::Month.name(),
            freshness => freshness.name(),
        });
        if let Some(range) = range {
            pairs.append_pair("time_range", range);
        }
    }
    get(&url)
}

pub(super) fn read(body: &[u8], query: &SearchQuery) -> serde_json::Result<SearchAnswer> {
    let answer: SearxngAnswer = serde_json::from_slice(body)?;
    let failed = answer.unresponsive_engines.iter().take(20);
    Ok(SearchAnswer {
        // The engine does not say whether there are more, and a page has as many as its engines found.
        has_more: answer.results.len() > query.count,
        hits: answer
            .results
            .into_iter()
            .filter_map(RawHit::into_hit)
            .collect(),
        failed_engines: failed.map(describe_failure).collect(),
        ..SearchAnswer::new()
    })
}

fn describe_failure(failed: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match failed.as_array().map(Vec::as_slice) {
        Some([name, why, ..]) => {
            let words = [name, why].map(|value| text(value).unwrap_or_else(|| value.to_string()));
            words.join(": ")
        }
        _ => text(failed).unwrap_or_else(|| failed.to_string()),
    }
}
