//! Which pages are requested, and how often.

use libtest_mimic::Trial;
use serde_json::json;

use super::server::{Server, ok, to, with_headers};
use super::{Session, trial};

pub(super) fn tests() -> Vec<Trial> {
    vec![
        trial("redirects_stay_on_the_site", redirects),
        trial("what_may_not_be_reached_is_refused", refusals),
        trial("pages_are_fetched_once", caching),
        trial("places_that_are_not_shown_are_named", places),
        trial("errors_of_servers_are_shown", errors),
        trial("bodies_have_limits", bodies),
    ]
}

async fn redirects() {
    let other = Server::start(vec![("/", ok("text/plain", "other"))]);
    let server = Server::start(vec![
        ("/here", to("/there?a=b#c")),
        ("/there?a=b", ok("text/plain", "arrived")),
        ("/away", to(&other.url("/"))),
        ("/loop", to("/loop")),
        ("/script", to("javascript:alert(1)")),
        ("/inside", to("http://169.254.169.254/latest")),
        ("/file", to("file:///etc/passwd")),
    ]);
    let session = Session::new();
    let fetch = |path: &'static str| session.fetch(&server, json!({ "url": path }));
    assert_eq!(
        fetch("/here").await,
        "[http://HOST/there?a=b, text/plain: all 7 characters]\n\narrived"
    );
    let away = fetch("/away")
        .await
        .replace(&other.address.to_string(), "OTHER");
    assert_eq!(
        away,
        "[http://HOST/away: status 302, a redirect to another site, which was not followed]\nredirects to: http://OTHER/\n\
         [call again with that address if it is where the page should be]"
    );
    assert!(other.asked().is_empty());
    assert_eq!(
        fetch("/loop").await,
        "failed: gave up after 5 requests, each redirected to the next, at last to `http://HOST/loop`"
    );
    assert!(
        fetch("/inside")
            .await
            .contains("redirects to: http://169.254.169.254/latest")
    );
    for path in ["/script", "/file"] {
        let answer = fetch(path).await;
        assert!(
            answer.contains("redirects to something that is no address of a web page"),
            "{answer}"
        );
    }
}

async fn refusals() {
    let server = Server::start(Vec::new());
    let session = Session::new();
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://localhost/",
        "http://0x0a000001/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://user:password@127.0.0.1/",
    ] {
        let answer = session.fetch(&server, json!({ "url": url })).await;
        assert!(
            answer.starts_with("denied: ") && answer.contains("may not be reached"),
            "{url}: {answer}"
        );
    }
    for url in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,x",
        "example.com",
        "",
    ] {
        let answer = session.fetch(&server, json!({ "url": url })).await;
        assert!(
            answer.contains("is no address of a web page"),
            "{url}: {answer}"
        );
    }
    let without = helve::ToolContext::new();
    let answer = super::fetch_in(&without, &server, json!({ "url": "/" })).await;
    insta::assert_snapshot!(answer, @"denied: refused: this app does not grant access to the network; grant it where the app is built");
    assert!(server.asked().is_empty());
}

async fn caching() {
    let server = Server::start(vec![
        (
            "/a",
            ok("text/html", "<article><p>Some text.</p></article>"),
        ),
        (
            "/b",
            with_headers("content-type: text/plain\r\ncache-control: no-store", "b"),
        ),
        (
            "/c",
            with_headers(
                "content-type: text/plain\r\ncache-control: private\r\ncache-control: no-cache",
                "c",
            ),
        ),
    ]);
    let session = Session::new();
    for more in [
        json!({}),
        json!({ "format": "raw" }),
        json!({ "find": "text" }),
    ] {
        let mut arguments = more;
        arguments["url"] = json!("/a");
        let answer = session.fetch(&server, arguments).await;
        assert!(answer.contains("text"), "{answer}");
    }
    for path in ["/b", "/b", "/c", "/c"] {
        session.fetch(&server, json!({ "url": path })).await;
    }
    assert_eq!(server.asked(), ["/a", "/b", "/b", "/c", "/c"]);
    Session::new().fetch(&server, json!({ "url": "/a" })).await;
    assert_eq!(server.asked().len(), 6);
}

async fn places() {
    let far = format!("foo{}", " x".repeat(1_000)).repeat(5);
    let server = Server::start(vec![("/far", ok("text/plain", &far))]);
    let arguments = json!({ "url": "/far", "find": "foo", "max_chars": 100 });
    let answer = Session::new().fetch(&server, arguments).await;
    assert!(
        answer.starts_with("[http://HOST/far, text/plain: 5 matches in 10015 characters]"),
        "{answer}"
    );
    assert!(
        answer.ends_with(
            "[1 of 5 places are shown: give a `find` that matches less, or more `max_chars`]"
        ),
        "{answer}"
    );
    let arguments = json!({ "url": "/far", "find": "(?s)foo.*foo" });
    let answer = Session::new().fetch(&server, arguments).await;
    assert!(
        answer.ends_with(" …\n[1 place is cut where `…` is: read on with `start` from the character of the place]"),
        "{answer}"
    );
    // No model answers here.
    let arguments = json!({ "url": "/far", "find": "foo(?: x){750}", "question": "What is x?" });
    let cx = super::context_builder().result_budget(2_000).build();
    let answer = super::fetch_in(&cx, &server, arguments).await;
    assert!(answer.contains("…\n[no model can answer"), "{answer}");
    assert!(answer.contains("[the first 500 of "), "{answer}");
}

async fn errors() {
    let server = Server::start(Vec::new());
    let answer = Session::new()
        .fetch(&server, json!({ "url": "/missing" }))
        .await;
    assert_eq!(
        answer,
        "[http://HOST/missing, status 404, text/plain: all 9 characters]\n\nnot here."
    );
}

async fn bodies() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n";
    let with = |more: &str, body: &[u8]| [head.as_bytes(), more.as_bytes(), b"\r\n", body].concat();
    let large = vec![b'a'; 11 << 20];
    let server = Server::start(vec![
        ("/endless", with("", &large)),
        ("/announced", with("content-length: 99999999999\r\n", b"a")),
        ("/short", with("content-length: 100\r\n", b"a")),
        ("/long", with("content-length: 3\r\n", b"abcdef")),
        ("/negative", with("content-length: -1\r\n", b"a")),
        (
            "/chunks",
            with("transfer-encoding: chunked\r\n", b"5\r\nhello\r\nzz\r\n"),
        ),
    ]);
    let session = Session::new();
    for path in ["/endless", "/announced"] {
        let answer = session.fetch(&server, json!({ "url": path })).await;
        assert!(
            answer.contains("the response has more than 10485760 bytes"),
            "{path}: {answer}"
        );
    }
    for path in ["/short", "/negative", "/chunks"] {
        let answer = session.fetch(&server, json!({ "url": path })).await;
        assert!(
            answer.starts_with("failed: ") && answer.contains("no response from it"),
            "{path}: {answer}"
        );
    }
    let answer = session.fetch(&server, json!({ "url": "/long" })).await;
    assert!(answer.ends_with("all 3 characters]\n\nabc"), "{answer}");
}
