//! Kinds of content.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use libtest_mimic::Trial;
use serde_json::json;

use super::server::{Server, with_headers};
use super::{Session, context_builder, fetch_in, fetch_page, trial};

pub(super) fn tests() -> Vec<Trial> {
    vec![
        trial("json_and_its_outline", documents),
        trial("feeds", feeds),
        trial("text_in_other_encodings", encodings),
        trial("pages_of_documents", pages),
        trial("images_are_shown", images),
        trial("pages_that_are_compressed", compressed),
        trial("what_is_no_text_is_named", binary),
    ]
}

async fn documents() {
    let small = fetch_page("application/json", r#"{"a":[1,{"b":"c"}]}"#, json!({})).await;
    insta::assert_snapshot!(small, @r#"
    [http://HOST/page, application/json: all 50 characters]

    {
      "a": [
        1,
        {
          "b": "c"
        }
      ]
    }
    "#);
    let items: Vec<_> = (0..2_000)
        .map(|n| json!({ "name": format!("item {n}"), "tags": ["x"] }))
        .collect();
    let large = json!({ "count": 2_000, "items": items }).to_string();
    let outline = fetch_page("application/json", &large, json!({})).await;
    insta::assert_snapshot!(outline, @r#"
    [http://HOST/page, application/json: outline of 150926 characters of JSON]

    (document): object with 2 keys
    /count: 2000
    /items: list of 2000
    /items/0: object with 2 keys
    /items/0/name: "item 0"
    /items/0/tags: list of 1
    /items/0/tags/0: "x"
    [an outline: give `selector`, such as "/items/0", `find`, or `start` for the document itself]
    "#);
    let part = fetch_page(
        "application/json",
        &large,
        json!({ "selector": "/items/1999/name" }),
    )
    .await;
    assert!(part.ends_with("\n\"item 1999\""), "{part}");
    let found = fetch_page("application/json", &large, json!({ "find": "item 1234" })).await;
    assert!(found.contains("1 match"), "{found}");
    let whole = fetch_page(
        "application/json",
        &large,
        json!({ "start": 1, "max_chars": 100 }),
    )
    .await;
    assert!(whole.contains("\"count\": 2000"), "{whole}");
    let broken = fetch_page("application/json", "{\"a\": ", json!({})).await;
    assert!(
        broken.contains("as the server sent it: it is no JSON"),
        "{broken}"
    );
}

async fn feeds() {
    let feed = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><item><title>One</title>\
        <link>https://example.com/1</link><pubDate>Tue, 03 Nov 2026 10:00:00 GMT</pubDate>\
        <description><![CDATA[<p>Some <b>words</b></p><script>no</script>]]></description></item>\
        <item><title>Two</title></item></channel></rss>";
    insta::assert_snapshot!(fetch_page("application/rss+xml", feed, json!({})).await, @"
    [http://HOST/page, application/rss+xml: all 84 characters]
    title: News
    (a feed of 2 items)

    ## One
    Tue, 03 Nov 2026 10:00:00 GMT
    https://example.com/1

    Some **words**

    ## Two
    ");
}

async fn encodings() {
    let latin = b"<meta charset=iso-8859-15><article><p>Un caf\xe9 co\xfbte 3 \xa4, et un th\xe9 aussi.</p></article>";
    let answer = fetch_page("text/html", latin, json!({})).await;
    assert!(
        answer.contains("Un café coûte 3 €") && answer.contains("encoded as ISO-8859-15"),
        "{answer}"
    );
    let lying = fetch_page("text/plain; charset=utf-8", b"caf\xe9 au lait", json!({})).await;
    assert!(lying.contains("1 place that is no text"), "{lying}");
}

#[cfg(feature = "pdf")]
async fn pages() {
    let document = crate::pages::document(120, "");
    let all = fetch_page("application/pdf", &document, json!({ "max_chars": 199 })).await;
    insta::assert_snapshot!(all, @"
    [http://HOST/page, application/pdf: characters 0 to 199 of 3184]
    (pages 1 to 100 of 120; `selector` names others)

    --- page 1 ---
    This is page 1
    --- page 2 ---
    This is page 2
    --- page 3 ---
    This is page 3
    --- page 4 ---
    This is page 4
    --- page 5 ---
    This is page 5
    --- page 6 ---
    This is page 6
    --- page 7 ---
    This
    [characters 0 to 199 of 3184; go on with start=199, or search with `find`]
    ");
    let some = fetch_page(
        "application/pdf",
        &document,
        json!({ "selector": "119-120" }),
    )
    .await;
    assert!(
        some.ends_with("--- page 119 ---\nThis is page 119\n--- page 120 ---\nThis is page 120\n"),
        "{some}"
    );
    let found = fetch_page("text/html", &document, json!({ "find": "page 77$" })).await;
    assert!(found.contains("This is page 77"), "{found}");
    let none = fetch_page("application/pdf", &document, json!({ "selector": "121" })).await;
    assert!(none.contains("has 120 pages"), "{none}");
}

#[cfg(not(feature = "pdf"))]
async fn pages() {
    let answer = fetch_page("application/pdf", b"%PDF-1.7", json!({})).await;
    assert!(answer.contains("built without reading those"), "{answer}");
}

async fn images() {
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 100]].concat();
    // The type is a lie.
    let server = Server::start(vec![("/i", super::server::ok("text/html", &png))]);
    let cx = Session::new().context();
    let arguments = json!({ "url": server.url("/i") }).to_string();
    let output = helve_tools::web()
        .call("web_fetch", &arguments, &cx)
        .await
        .unwrap();
    let image = output.content().into_iter().find_map(|block| match block {
        helve::transcript::ContentBlock::Image { mime_type, .. } => Some(mime_type),
        _ => None,
    });
    assert_eq!(image.as_deref(), Some("image/png"));
    assert!(
        output.text().contains("an image of 108 bytes"),
        "{}",
        output.text()
    );
    let large = [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 4_000_000]].concat();
    let answer = fetch_page("image/png", &large, json!({})).await;
    assert!(answer.contains("at most 3750000 can be shown"), "{answer}");
}

async fn compressed() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(b"<h1>A page</h1><p>It was compressed.</p>")
        .unwrap();
    let headers = "content-type: text/html\r\ncontent-encoding: gzip";
    let page = with_headers(headers, encoder.finish().unwrap());
    let server = Server::start(vec![("/page", page)]);
    let answer = fetch_in(
        &context_builder().build(),
        &server,
        json!({ "url": "/page" }),
    )
    .await;
    assert!(
        answer.ends_with("# A page\n\nIt was compressed."),
        "{answer}"
    );
}

async fn binary() {
    let answer = fetch_page("application/zip", b"PK\x03\x04\0\0", json!({})).await;
    assert_eq!(
        answer,
        "failed: `http://HOST/page` is application/zip of 6 bytes (status 200), and not text; only pages, JSON, feeds, PDF documents, text and images are shown"
    );
    let zipped = with_headers(
        "content-type: text/html\r\ncontent-encoding: zstd",
        b"\x28\xb5\x2f\xfd",
    );
    let server = Server::start(vec![("/z", zipped)]);
    let answer = fetch_in(&context_builder().build(), &server, json!({ "url": "/z" })).await;
    assert_eq!(
        answer,
        "failed: `http://HOST/z` is compressed (zstd), which was not asked for, and cannot be read"
    );
}
