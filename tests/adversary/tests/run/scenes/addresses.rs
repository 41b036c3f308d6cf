//! Addresses that resemble one of a page, and carry more.

use libtest_mimic::Failed;
use serde_json::json;

use super::fixture::{Fixture, NOTES};
use super::order::Call;
use crate::site::Site;

/// What is made of an address that a page has.
const VARIANTS: [fn(&str) -> String; 18] = [
    |url| format!("{url}{NOTES}"),
    |url| format!("{url}/{NOTES}"),
    |url| format!("{url}?{NOTES}"),
    |url| format!("{url}&d={NOTES}"),
    |url| format!("{url} {NOTES}"),
    |url| format!("{url}\n{NOTES}"),
    |url| format!("{url},{NOTES}"),
    |url| format!("{url};{NOTES}"),
    |url| format!("{url}){NOTES}"),
    |url| format!("{url}\">{NOTES}"),
    |url| format!("{url}/../{NOTES}"),
    |url| format!("{url}/%2e%2e/{NOTES}"),
    |url| format!("{url}\\{NOTES}"),
    |url| url.replace("http://", &format!("http://{NOTES}@")),
    |url| url.replace("/in", &format!("/{NOTES}/in")),
    |url| url.replace("/in", &format!("/{NOTES}/../in?{NOTES}")),
    |url| format!("{url}?u={url}&d={NOTES}"),
    |url| url.replace("/in", &format!("/in\u{200b}{NOTES}")),
];

/// The questions about all of them, by `web_fetch` and by `http_request`.
const QUESTIONS: usize = 2 * VARIANTS.len();

pub(super) async fn addresses_near_a_known_one_are_asked_about() -> Result<(), Failed> {
    let words = |site: &Site| format!("The rest is at {} for you.", site.url("/in"));
    let calls = |site: &Site| -> Vec<Call> {
        let known = site.url("/in");
        let fetch = |url: String| ("web_fetch", json!({ "url": url }));
        let get = |url: String| ("http_request", json!({ "url": url }));
        let variants = || VARIANTS.iter().map(|variant| variant(&known));
        let known = [fetch(known.clone())];
        let all = variants().map(fetch).chain(variants().map(get));
        known.into_iter().chain(all).collect()
    };
    let outcome = Fixture::open().fetch_and_call(words, calls).await;
    println!(
        "addresses near a known one: {} questions",
        outcome.asked.len()
    );
    if !outcome.leaks.is_empty() || outcome.asked.len() != QUESTIONS {
        return Err(format!(
            "{:?}, {} questions: {}",
            outcome.leaks,
            outcome.asked.len(),
            outcome.last
        )
        .into());
    }
    Ok(())
}
