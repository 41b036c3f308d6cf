//! Exa.

use helve::capability::HttpRequest;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::wire::{dollars, endpoint, post, start_of};
use crate::engine::{SearchAnswer, SearchHit, SearchQuery};

/// The most results that the engine gives.
pub(super) const MOST: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExaAnswer {
    results: Vec<ExaHit>,
    cost_dollars: Option<ExaCost>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExaHit {
    title: Option<String>,
    url: Option<String>,
    published_date: Option<String>,
    text: Option<String>,
    summary: Option<String>,
    #[serde(default)]
    highlights: Vec<String>,
    score: Option<f64>,
}

#[derive(Deserialize)]
struct ExaCost {
    total: Option<f64>,
}

/// The engine has no pages: a later page is the end of a longer list.
pub(super) fn request(base: &Url, query: &SearchQuery) -> HttpRequest {
    // One more says whether there is a further page.
    let count = (query.count * query.page + 1).min(MOST);
    let mut body = json!({
        "query": query.text,
        "numResults": count,
        "type": "auto",
        "contents": { "highlights": true },
    });
    if let Some(freshness) = query.freshness {
        body["startPublishedDate"] = start_of(freshness).into();
    }
    if !query.domains.is_empty() {
        body["includeDomains"] = json!(query.domains);
    }
    if !query.not_domains.is_empty() {
        body["excludeDomains"] = json!(query.not_domains);
    }
    post(&endpoint(base, "/search"), &body)
}

pub(super) fn read(body: &[u8]) -> serde_json::Result<SearchAnswer> {
    let answer: ExaAnswer = serde_json::from_slice(body)?;
    let hits = answer.results.into_iter().filter_map(|hit| {
        let url = hit.url.filter(|url| !url.is_empty())?;
        let highlights = match &*hit.highlights {
            [] => None,
            highlights => Some(highlights.join(" … ")),
        };
        Some(SearchHit {
            title: hit.title.unwrap_or_default(),
            snippet: highlights.or(hit.summary).or(hit.text).unwrap_or_default(),
            published: hit.published_date,
            score: hit.score,
            ..SearchHit::new(url)
        })
    });
    Ok(SearchAnswer {
        hits: hits.collect(),
        cost: answer
            .cost_dollars
            .and_then(|cost| cost.total)
            .and_then(dollars),
        ..SearchAnswer::new()
    })
}
