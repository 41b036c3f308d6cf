//! Which results are on which page.

use serde_json::json;

use super::server::{Engines, context, search};

/// The results `from..to` of an engine.
fn numbered(from: usize, to: usize) -> String {
    let hit = |number: usize| json!({ "title": format!("r{number}"), "url": format!("https://example.com/{number}") });
    json!({ "results": (from..to).map(hit).collect::<Vec<_>>() }).to_string()
}

/// Whatever an engine calls a page, each result is on one page, and a page that an engine does not have is an error.
#[tokio::test]
async fn pages_have_each_result_once() {
    let engines = Engines::start(|request| {
        let number = |mark: &str| {
            let (_, rest) = request.split_once(mark)?;
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest[..end].parse::<usize>().ok()
        };
        let body = match (number("max_results\":"), number("pageno=")) {
            (Some(most), _) => numbered(0, most.min(18)),
            // Pages of eleven, one of which the next page has, too.
            (_, Some(page)) if page <= 3 => numbered((page - 1) * 10, page * 10 + 1),
            _ => numbered(0, 0),
        };
        (200, "", body)
    })
    .await;
    for (engine, total) in [("tavily", 18), ("searxng", 31)] {
        let cx = context(engines.settings(engine, &[])).build();
        let mut all: Vec<String> = Vec::new();
        for page in 1..=9 {
            let arguments = json!({ "query": "tokio", "page": page, "count": 4 });
            let (text, data) = search(&cx, arguments).await;
            let Some(results) = data["results"].as_array() else {
                assert!(engine == "tavily" && page > 5, "{text}");
                let refused = "tavily: the query was refused: tavily gives at most 20 results, which are on earlier pages; search with other words";
                assert!(text.ends_with(refused), "{text}");
                continue;
            };
            let titles = results
                .iter()
                .map(|hit| hit["title"].as_str().unwrap().to_owned());
            all.extend(titles);
            assert_eq!(
                data["has_more"],
                all.len() < total,
                "{engine} {page}: {text}"
            );
        }
        let expected: Vec<String> = (0..total).map(|number| format!("r{number}")).collect();
        assert_eq!(all, expected, "{engine}");
    }
}

/// An engine without a week says so, and what is known to be older is left out.
#[tokio::test]
async fn a_week_is_no_month() {
    let engines = Engines::start(|request| {
        assert!(request.contains("time_range=month"), "{request}");
        let hit = |url: &str, date: &str| json!({ "title": url, "url": format!("https://example.com/{url}"), "publishedDate": date });
        let hits = [hit("old", "2020-01-02T00:00:00"), hit("new", "2999-01-02T00:00:00"), hit("odd", "yesterday")];
        (200, "", json!({ "results": hits }).to_string())
    })
    .await;
    let cx = context(engines.settings("searxng", &[])).build();
    let (text, data) = search(&cx, json!({ "query": "tokio", "freshness": "week" })).await;
    insta::assert_snapshot!(text, @"
    2 results from searxng; searxng has no week: results without a date may be a month old

    1. new (2999-01-02)
       https://example.com/new

    2. odd (yesterday)
       https://example.com/odd
    ");
    assert_eq!(data["remarks"].as_array().unwrap().len(), 1);
}
