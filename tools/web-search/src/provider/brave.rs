//! Brave.

use helve::capability::HttpRequest;
use serde::Deserialize;
use url::Url;

use super::wire::{RawHit, endpoint, get};
use crate::engine::{Freshness, SearchAnswer, SearchQuery};

#[derive(Deserialize)]
struct BraveAnswer {
    web: Option<BraveResults>,
    query: Option<BraveQuery>,
}

#[derive(Deserialize)]
struct BraveResults {
    #[serde(default)]
    results: Vec<RawHit>,
}

#[derive(Deserialize)]
struct BraveQuery {
    more_results_available: Option<bool>,
}

pub(super) fn request(base: &Url, query: &SearchQuery) -> HttpRequest {
    let mut url = endpoint(base, "/res/v1/web/search");
    {
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", &query.with_site_operators());
        pairs.append_pair("count", &query.count.min(20).to_string());
        pairs.append_pair("offset", &query.page.saturating_sub(1).min(9).to_string());
        let freshness = query.freshness.map(|freshness| match freshness {
            Freshness::Day => "pd",
            Freshness::Week => "pw",
            Freshness::Month => "pm",
            Freshness::Year => "py",
        });
        if let Some(freshness) = freshness {
            pairs.append_pair("freshness", freshness);
        }
    }
    get(&url)
}

pub(super) fn read(body: &[u8]) -> serde_json::Result<SearchAnswer> {
    let answer: BraveAnswer = serde_json::from_slice(body)?;
    let results = answer.web.map(|web| web.results).unwrap_or_default();
    Ok(SearchAnswer {
        hits: results.into_iter().filter_map(RawHit::into_hit).collect(),
        has_more: answer
            .query
            .is_some_and(|query| query.more_results_available == Some(true)),
        ..SearchAnswer::new()
    })
}
