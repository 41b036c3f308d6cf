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
    insta::assert_snapshot!(all.join("\n\n"), @"
    web_fetch
          --url <TEXT>
          --question <TEXT>
          --find <TEXT>
          --selector <TEXT>
          --format <format>
          --start <INTEGER>
          --max-chars <INTEGER>

    web_search
          --query <TEXT>
          --count <INTEGER>
          --page <INTEGER>
          --freshness <freshness>
          --domains <TEXT>
          --not-domains <TEXT>

    http_request
          --url <TEXT>
          --method <method>
          --preset <TEXT>
          --query <JSON>
          --headers <JSON>
          --json <JSON>
          --text <TEXT>
          --form <JSON>
          --file <TEXT>
          --pick <TEXT>
          --save-to <TEXT>
          --timeout-s <INTEGER>

    check_code
          --kind <kind>
          --path <TEXT>
          --checker <checker>
          --filter <TEXT>
          --max-rows <INTEGER>
    ");
    let wrong = place.run(&[
        "call",
        "web_fetch",
        "--url",
        &page(&server),
        "--max-chars",
        "many",
    ]);
    insta::assert_snapshot!(server.redact_url(&wrong), @"
    exit 2
    --- stderr
    error: invalid value 'many' for '--max-chars <INTEGER>': invalid digit found in string

    For more information, try '--help'.
    ");
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
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @"
    exit 0
    --- stdout
    [http://127.0.0.1:PORT/page, text/html: 1 match in 156 characters]
    title: The tower
    (the content of the page, without navigation)

    --- at character 108 ---
    # The tower

    The tower was built in 1889, and it is the highest building of the old town.

    Its height is 41 metres, from the market to the flag on its roof.
    --- stderr
    calling `web_fetch` (only reads, and may reach the outside world, low risk) in PLACE/project
      requesting http://127.0.0.1:PORT/page
    ");
}

#[test]
fn the_web_is_searched() {
    let server = web();
    let call = ["call", "web_search", "--query", "the tower", "--count", "3"];
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @"
    exit 0
    --- stdout
    1 result from searxng

    1. The tower
       https://example.com/tower
       It was built in 1889.
    --- stderr
    calling `web_search` (only reads, and may reach the outside world, low risk) in PLACE/project
    ");
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
    insta::assert_snapshot!(server.redact_url(&place(&server).run(&call)), @r#"
    exit 0
    --- stdout
    200 OK, application/json, `/items/*/name` of 121 bytes, shown whole

    [
      "item 0",
      "item 1",
      "item 2"
    ]
    --- stderr
    calling `http_request` (only reads, and may reach the outside world, low risk) in PLACE/project
      sending GET http://127.0.0.1:PORT/v1/items, with a query of 7 bytes, with the secret `TRACKER_TOKEN`
    "#);
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
    insta::assert_snapshot!(server.redact_url(&seen), @r#"
    exit 0
    --- stdout
    200 OK, application/json, `/token` of 121 bytes, shown whole

    "Bearer [REDACTED:secret]"
    --- stderr
    calling `http_request` (only reads, and may reach the outside world, low risk) in PLACE/project
      sending GET http://127.0.0.1:PORT/v1/items, with the secret `TRACKER_TOKEN`
    "#);
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
            "example.com",
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
    insta::assert_snapshot!(server.redact_url(&all.join("\n")), @r#"
    exit 0
    --- stdout
    dry run, nothing is sent: would send this, and follow redirects within the site

    GET http://127.0.0.1:PORT/page
    accept: text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, text/plain;q=0.8, */*;q=0.1
    --- stderr
    calling `web_fetch` (only reads, and may reach the outside world, low risk) in PLACE/project

    exit 0
    --- stdout
    dry run, nothing is sent: would ask searxng for `the tower site:example.com`
    --- stderr
    calling `web_search` (only reads, and may reach the outside world, low risk) in PLACE/project

    exit 0
    --- stdout
    would send GET http://127.0.0.1:PORT/v1/items, with the secret `TRACKER_TOKEN`

    GET http://127.0.0.1:PORT/v1/items
    --- stderr
    calling `http_request` (only reads, and may reach the outside world, low risk) in PLACE/project

    exit 0
    --- stdout
    would send POST http://127.0.0.1:PORT/v1/items, with 12 bytes of JSON, with the secret `TRACKER_TOKEN`

    POST http://127.0.0.1:PORT/v1/items
    Content-Type: application/json

    {"name":"a"}
    --- stderr
    calling `http_request` (may change something, and may reach the outside world, medium risk) in PLACE/project

    exit 0
    --- stdout
    Dry run, nothing was done: would call check_code with {"kind":"lint"}
    --- stderr
    calling `check_code` (changes something, medium risk) in PLACE/project
    "#);
    assert_eq!(server.request_lines(), [""; 0]);
}
