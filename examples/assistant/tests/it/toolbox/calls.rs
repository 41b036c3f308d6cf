//! Calls that a person makes.

use super::{TOKEN, page, place, web};

/// The flags of a tool: the lines of its help that begin with one.
fn flags(help: &str) -> String {
    let (_, flags) = help.split_once("Options:\n").unwrap_or(("", help));
    let flags = flags
        .lines()
        .filter(|line| line.trim_start().starts_with("--"));
    flags.collect::<Vec<_>>().join("\n")
}

#[test]
fn arguments_are_typed_flags() {
    let server = web();
    let place = place(&server);
    let mut all = Vec::new();
    for tool in ["web_fetch", "web_search", "http_request", "check_code"] {
        all.push(format!(
            "{tool}\n{}",
            flags(&place.run(&["call", tool, "--help"]))
        ));
    }
    insta::assert_snapshot!(all.join("\n\n"), @"");
    let wrong = place.run(&[
        "call",
        "web_fetch",
        "--url",
        &page(&server),
        "--max-chars",
        "many",
    ]);
    insta::assert_snapshot!(server.redact_url(&wrong), @"");
}

#[test]
fn a_page_is_read() {
    let server = web();
    let page = page(&server);
    let call = [
        "call",
        "web_fetch",
        "--url",
        &page,
        "--find",
        "METRES",
        "--max-chars",
        "200",
    ];
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @"");
}

#[test]
fn the_web_is_searched() {
    let server = web();
    let call = ["call", "web_search", "--query", "the tower", "--count", "3"];
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @"");
}

#[test]
fn a_service_is_asked() {
    let server = web();
    let call = [
        "call",
        "http_request",
        "--preset",
        "tracker",
        "--url",
        "items",
        "--query",
        r#"{"limit": "3"}"#,
        "--pick",
        "/items/*/name",
    ];
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @"");
    let requests = server.requests();
    assert_eq!(
        requests[0].header("authorization"),
        format!("Bearer {TOKEN}")
    );
}

#[test]
fn what_the_service_repeats_is_masked() {
    let server = web();
    let call = [
        "call",
        "http_request",
        "--preset",
        "tracker",
        "--url",
        "items",
        "--pick",
        "/token",
    ];
    let seen = place(&server).run(&call);
    insta::assert_snapshot!(server.redact_url(&seen), @"");
}

#[test]
fn a_dry_run_shows_what_would_be_sent() {
    let server = web();
    let place = place(&server);
    let page = page(&server);
    let mut all = Vec::new();
    for call in [
        &["web_fetch", "--url", &page][..],
        &[
            "web_search",
            "--query",
            "the tower",
            "--domains",
            r#"["example.com"]"#,
        ],
        &["http_request", "--preset", "tracker", "--url", "items"],
        &[
            "http_request",
            "--preset",
            "tracker",
            "--url",
            "items",
            "--method",
            "POST",
            "--json",
            r#"{"name": "a"}"#,
        ],
        &["check_code", "--kind", "lint"],
    ] {
        all.push(place.run(&[&["call", "--dry-run"], call].concat()));
    }
    insta::assert_snapshot!(server.redact_url(&all.join("\n")), @"");
    assert_eq!(server.request_lines(), [""; 0]);
}
