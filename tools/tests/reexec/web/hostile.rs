//! Pages that are made to use up their reader: each is fetched by an app of its own, which answers in time, and which stays
//! small together with its worker.

use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::json;

use super::server::{Server, ok};
use super::{Session, run};
use crate::peaks::{children_peak_kib, self_peak_kib};

/// Names the page, in a process that a test started to fetch it.
const ROLE: &str = "HELVE_TEST_FETCHES_PAGE";

/// What app and worker may have in memory together, at their peaks.
const MOST_MIB: u64 = 360;

/// The limit of processor time, and what a busy machine adds.
const PATIENCE: Duration = Duration::from_secs(25);

type Page = (&'static str, fn() -> Vec<u8>);

const PAGES: &[Page] = &[
    ("nested_blocks", || {
        ["<div>".repeat(100_000), "text".into()].concat().into()
    }),
    ("nested_bold", || {
        ["<b>".repeat(100_000), "text".into()].concat().into()
    }),
    ("nested_tables", || {
        "<table><tr><td>text".repeat(20_000).into()
    }),
    ("nested_lists", || "<ul><li>text".repeat(50_000).into()),
    ("nested_quotes", || "<blockquote>text".repeat(50_000).into()),
    ("open_bold_in_paragraphs", || {
        "<b><p>text".repeat(20_000).into()
    }),
    ("fonts_of_many_sizes", || {
        let fonts = (0..20_000).map(|n| format!("<p><font size={n}>text"));
        fonts.collect::<String>().into()
    }),
    ("many_attributes", || {
        let attributes: String = (0..200_000).map(|n| format!("a{n}=1 ")).collect();
        format!("<p {attributes}>text").into()
    }),
    ("a_long_attribute", || {
        format!("<p title=\"{}\">text", "a".repeat(8 << 20)).into()
    }),
    ("many_rows", || {
        format!("<table>{}", "<tr><td>text".repeat(100_000)).into()
    }),
    ("many_links", || {
        "<p><a href='/a?b=c'>link text</a> and more text"
            .repeat(40_000)
            .into()
    }),
    ("many_entities", || "&amp;&lt;&#x41;".repeat(100_000).into()),
    ("long_text", || "word ".repeat(1_000_000).into()),
    ("misnested_links", || {
        "<a href=x><p>text</a>".repeat(50_000).into()
    }),
    ("open_comments", || "<!-- <p>".repeat(200_000).into()),
    ("many_scripts", || {
        "<script>a</script>text".repeat(60_000).into()
    }),
    ("zeroes", || {
        [b"<p>text".to_vec(), vec![0; 5 << 20]].concat()
    }),
    ("nested_frames", || {
        "<svg><foreignObject><math><mi>text".repeat(20_000).into()
    }),
    ("selects", || "<select><option>text".repeat(100_000).into()),
    ("headings_of_links", || {
        "<h1><a href=x>text</h1>".repeat(30_000).into()
    }),
];

/// A name, a media type and what makes the document.
type Document = (&'static str, &'static str, fn() -> Vec<u8>);

/// Documents of other types.
const DOCUMENTS: &[Document] = &[
    ("deep_json", "application/json", || {
        "[".repeat(1_000_000).into()
    }),
    ("wide_json", "application/json", || {
        format!("[{}1]", "1,".repeat(3_000_000)).into()
    }),
    ("many_items", "application/rss+xml", || {
        format!(
            "<rss>{}</rss>",
            "<item><title>text</title><description>&lt;p&gt;text</description></item>"
                .repeat(30_000)
        )
        .into()
    }),
    ("deep_feed", "application/rss+xml", || {
        format!("<rss>{}", "<a>".repeat(1_000_000)).into()
    }),
    ("entities_of_entities", "application/rss+xml", || {
        let entities: String = (1..30)
            .map(|n| format!("<!ENTITY e{n} '&e{};&e{};'>", n - 1, n - 1))
            .collect();
        format!("<!DOCTYPE rss [{entities}]><rss><item><title>text &e29;</title></item></rss>")
            .into()
    }),
];

pub(super) fn tests() -> Vec<Trial> {
    let names = PAGES.iter().map(|(name, _)| *name);
    let names = names.chain(DOCUMENTS.iter().map(|(name, ..)| *name));
    names
        .map(|name| {
            Trial::test(format!("web::hostile::{name}"), move || {
                is_survived(name);
                Ok(())
            })
        })
        .collect()
}

fn page(name: &str) -> (&'static str, Vec<u8>) {
    let page = PAGES.iter().find(|(one, _)| *one == name);
    let document = DOCUMENTS.iter().find(|(one, ..)| *one == name);
    match (page, document) {
        (Some((_, body)), _) => ("text/html", body()),
        (_, Some((_, content_type, body))) => (*content_type, body()),
        _ => panic!("no page `{name}`"),
    }
}

/// Fetches the page that a test names, and prints the answer and what it took.
pub(crate) fn run_as_role() -> bool {
    let Ok(name) = std::env::var(ROLE) else {
        return false;
    };
    let (content_type, body) = page(&name);
    let server = Server::start(vec![("/page", ok(content_type, &body))]);
    drop(body);
    let begun = Instant::now();
    let fetch = async {
        let answer = Session::new()
            .fetch(&server, json!({ "url": "/page", "max_chars": 100 }))
            .await;
        println!("{}", answer.replace('\n', " "));
    };
    run(fetch).unwrap();
    println!(
        "{} {} {}",
        begun.elapsed().as_millis(),
        self_peak_kib(),
        children_peak_kib()
    );
    true
}

fn is_survived(name: &str) {
    let output = Command::new("/proc/self/exe")
        .env(ROLE, name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let [answer, figures] = lines[..] else {
        panic!("{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    let figures: Vec<u64> = figures
        .split(' ')
        .map(|figure| figure.parse().unwrap())
        .collect();
    let [milliseconds, own, worker] = figures[..] else {
        panic!("{text}");
    };
    let mib = (own + worker) >> 10;
    let shown: String = answer.chars().take(150).collect();
    println!("{name}: {milliseconds} ms, {mib} MiB: {shown}");
    assert!(
        Duration::from_millis(milliseconds) < PATIENCE,
        "{milliseconds} ms: {shown}"
    );
    assert!(mib < MOST_MIB, "{mib} MiB: {shown}");
    let is_told = answer.starts_with("[http") || answer.contains("its text c");
    assert!(is_told, "{shown}");
}
