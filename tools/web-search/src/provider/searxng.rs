//! SearXNG.

use helve::capability::HttpRequest;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::wire::{RawHit, endpoint, get, start_of};
use crate::engine::{Freshness, SearchAnswer, SearchHit, SearchQuery};

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

/// Reads a page, which has as many results as the engines behind it found.
pub(super) fn read(body: &[u8], query: &SearchQuery) -> serde_json::Result<SearchAnswer> {
    let answer: SearxngAnswer = serde_json::from_slice(body)?;
    let failed = answer.unresponsive_engines.iter().take(20);
    let mut read = SearchAnswer {
        hits: answer
            .results
            .into_iter()
            .filter_map(RawHit::into_hit)
            .collect(),
        failed_engines: failed.map(describe_failure).collect(),
        ..SearchAnswer::new()
    };
    if query.freshness == Some(Freshness::Week) {
        let start = start_of(Freshness::Week);
        read.hits.retain(|hit| !is_older(hit, &start));
        let remark = "searxng has no week: results without a date may be a month old";
        read.remarks.push(remark.to_owned());
    }
    Ok(read)
}

/// Reports whether a result has a date, and is older than a day.
fn is_older(hit: &SearchHit, day: &str) -> bool {
    let date = hit.published.as_deref().and_then(|date| date.get(..10));
    let is_date = |date: &&str| {
        let form = date.bytes().map(|byte| byte.is_ascii_digit());
        let digits = [true, true, true, true, false, true, true, false, true, true];
        form.eq(digits)
    };
    date.filter(is_date).is_some_and(|date| date < day)
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
