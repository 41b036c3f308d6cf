//! Tavily.

use helve::capability::HttpRequest;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::wire::{RawHit, endpoint, post};
use crate::engine::{SearchAnswer, SearchQuery};

/// The most results that the engine gives.
pub(super) const MOST: usize = 20;

#[derive(Deserialize)]
struct TavilyAnswer {
    results: Vec<RawHit>,
    usage: Option<TavilyUsage>,
}

#[derive(Deserialize)]
struct TavilyUsage {
    credits: Option<f64>,
}

/// The engine has no pages: a later page is the end of a longer list.
pub(super) fn request(base: &Url, query: &SearchQuery) -> HttpRequest {
    // One more says whether there is a further page.
    let count = (query.count * query.page + 1).min(MOST);
    let mut body = json!({ "query": query.text, "max_results": count, "include_usage": true });
    if let Some(freshness) = query.freshness {
        body["time_range"] = freshness.name().into();
    }
    if !query.domains.is_empty() {
        body["include_domains"] = json!(query.domains);
    }
    if !query.not_domains.is_empty() {
        body["exclude_domains"] = json!(query.not_domains);
    }
    post(&endpoint(base, "/search"), &body)
}

pub(super) fn read(body: &[u8]) -> serde_json::Result<SearchAnswer> {
    let answer: TavilyAnswer = serde_json::from_slice(body)?;
    Ok(SearchAnswer {
        hits: answer
            .results
            .into_iter()
            .filter_map(RawHit::into_hit)
            .collect(),
        credits: answer.usage.and_then(|usage| usage.credits),
        ..SearchAnswer::new()
    })
}
