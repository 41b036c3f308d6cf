//! What a search keeps of the results of an engine.

use std::collections::HashSet;

use url::{Host, Url};

use super::engine::{SearchAnswer, SearchHit, SearchQuery};
use super::text::plain_text;

/// The greatest length of a title, a snippet, an address and a date, in characters.
const MAX_TITLE_CHARS: usize = 200;
const MAX_SNIPPET_CHARS: usize = 400;
const MAX_URL_CHARS: usize = 2_000;
const MAX_DATE_CHARS: usize = 40;

/// Parameters of addresses that say where a reader came from, and not which page it is.
const TRACKING: [&str; 6] = ["fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "igshid"];

/// Which part of the results of an engine a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePart {
    /// The engine returned the page.
    First,
    /// The engine returned a list from the first page on. Its results are counted as it counts them, so that each of them is
    /// on one page, whatever is left out.
    OfList,
    /// The results that the query wants are those of all pages from the first one on.
    OfWanted,
}

/// Keeps the results that the query wants, each page once, with plain texts. Returns whether there were more than the query
/// wants.
pub(crate) fn clean(answer: &mut SearchAnswer, query: &SearchQuery, part: PagePart) -> bool {
    let first = query.page.saturating_sub(1) * query.count;
    let (skipped, range) = match part {
        PagePart::First => (0, 0..usize::MAX),
        PagePart::OfList => (0, first..first + query.count),
        PagePart::OfWanted => (first, 0..usize::MAX),
    };
    let total = answer.hits.len();
    let wanted = wanted(std::mem::take(&mut answer.hits), query);
    let in_range = wanted.into_iter().filter(|hit| range.contains(&hit.index));
    let kept: Vec<WantedHit> = in_range.skip(skipped).collect();
    let had_more = kept.len() > query.count || total > range.end;
    let kept = kept.into_iter().take(query.count);
    answer.hits = kept.map(|kept| clean_hit(kept.hit, &kept.url)).collect();
    had_more
}

/// Counts the results that the query wants, each page once.
pub(crate) fn count_wanted(hits: &[SearchHit], query: &SearchQuery) -> usize {
    wanted(hits.to_vec(), query).len()
}

/// A result that the query wants, with its place in the answer.
struct WantedHit {
    index: usize,
    url: Url,
    hit: SearchHit,
}

fn wanted(hits: Vec<SearchHit>, query: &SearchQuery) -> Vec<WantedHit> {
    let mut seen = HashSet::new();
    let mut wanted = Vec::new();
    for (index, hit) in hits.into_iter().enumerate() {
        let Some(url) = web_address(&hit.url) else {
            continue;
        };
        if is_wanted(&url, query) && seen.insert(page_key(&url)) {
            wanted.push(WantedHit { index, url, hit });
        }
    }
    wanted
}

/// Parses an address of the web without a user or a password.
fn web_address(text: &str) -> Option<Url> {
    if text.chars().count() > MAX_URL_CHARS {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

fn is_wanted(url: &Url, query: &SearchQuery) -> bool {
    let Some(host) = url.host() else {
        return false;
    };
    let is_below = |domain: &String| is_at_or_below(&host, domain);
    let is_in = query.domains.is_empty() || query.domains.iter().any(is_below);
    is_in && !query.not_domains.iter().any(is_below)
}

fn is_at_or_below(host: &Host<&str>, domain: &str) -> bool {
    let host = host.to_string();
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    host == domain
        || host
            .strip_suffix(&domain)
            .is_some_and(|above| above.ends_with('.'))
}

/// Returns what is equal for two addresses of the same page.
fn page_key(url: &Url) -> String {
    let mut key = url.clone();
    key.set_fragment(None);
    let is_tracking = |name: &str| name.starts_with("utm_") || TRACKING.contains(&name);
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| !is_tracking(name))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if pairs.is_empty() {
        key.set_query(None);
    } else {
        key.query_pairs_mut().clear().extend_pairs(pairs);
    }
    let text = key.as_str().trim_end_matches('/');
    let text = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"))
        .unwrap_or(text);
    text.strip_prefix("www.").unwrap_or(text).to_owned()
}

fn clean_hit(hit: SearchHit, url: &Url) -> SearchHit {
    let title = plain_text(&hit.title, MAX_TITLE_CHARS);
    let title = if title.is_empty() {
        url.host_str().unwrap_or_default().to_owned()
    } else {
        title
    };
    let short = |text: String| {
        let text = plain_text(&text, MAX_DATE_CHARS);
        (!text.is_empty()).then_some(text)
    };
    // The time of day says nothing of a page.
    let date = |text: String| match text.split_once('T') {
        Some((date, _)) if date.len() == 10 => date.to_owned(),
        _ => text,
    };
    SearchHit {
        title,
        snippet: plain_text(&hit.snippet, MAX_SNIPPET_CHARS),
        published: hit.published.map(date).and_then(short),
        source: hit.source.and_then(short),
        score: hit.score.filter(|score| score.is_finite()),
        url: url.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned_urls(urls: &[&str], change: impl FnOnce(&mut SearchQuery)) -> Vec<String> {
        let mut query = SearchQuery::new("words");
        query.count = 20;
        change(&mut query);
        let mut answer = SearchAnswer::new();
        answer.hits = urls.iter().map(|url| SearchHit::new(*url)).collect();
        clean(&mut answer, &query, PagePart::First);
        answer.hits.into_iter().map(|hit| hit.url).collect()
    }

    #[test]
    fn only_pages_of_the_web_are_kept_and_each_once() {
        let urls = [
            "https://example.com/a?utm_source=x",
            "http://www.example.com/a/#part",
            "https://example.com/a?id=1&gclid=2",
            "https://example.com/a?id=1",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://user:word@example.com/",
            "no address",
            "",
        ];
        assert_eq!(
            cleaned_urls(&urls, |_| {}),
            [
                "https://example.com/a?utm_source=x",
                "https://example.com/a?id=1&gclid=2"
            ]
        );
    }

    #[test]
    fn hosts_are_filtered_whatever_the_engine_did() {
        let urls = [
            "https://docs.example.com/1",
            "https://example.com/2",
            "https://notexample.com/3",
            "https://example.com.evil.test/4",
            "https://EXAMPLE.com./5",
        ];
        let only = cleaned_urls(&urls, |query| query.domains = vec!["example.com".into()]);
        assert_eq!(only.len(), 3, "{only:?}");
        let others = cleaned_urls(&urls, |query| {
            query.not_domains = vec!["Example.com".into()]
        });
        assert_eq!(
            others,
            [
                "https://notexample.com/3",
                "https://example.com.evil.test/4"
            ]
        );
    }

    /// Whatever is left out, each result of a list is on one page.
    #[test]
    fn pages_of_a_list_have_each_result_once() {
        let urls = [1, 2, 2, 3, 4, 5, 1, 6, 7, 8, 9, 9, 10];
        for part in [PagePart::OfList, PagePart::OfWanted] {
            let mut all = Vec::new();
            for page in 1..=3 {
                let mut query = SearchQuery::new("words");
                query.page = page;
                let mut answer = SearchAnswer::new();
                let hits = urls
                    .iter()
                    .map(|id| SearchHit::new(format!("https://example.com/{id}")));
                answer.hits = hits.collect();
                let more = clean(&mut answer, &query, part);
                assert_eq!(more, page < if part == PagePart::OfList { 3 } else { 2 });
                all.extend(answer.hits.into_iter().map(|hit| hit.url));
            }
            let expected: Vec<String> = (1..=10)
                .map(|id| format!("https://example.com/{id}"))
                .collect();
            assert_eq!(all, expected, "{part:?}");
        }
    }

    #[test]
    fn a_hundred_thousand_duplicates_are_one_result() {
        let urls = vec!["https://example.com/"; 100_000];
        assert_eq!(cleaned_urls(&urls, |_| {}).len(), 1);
    }
}
