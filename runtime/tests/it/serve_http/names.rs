//! Under which names the server is reached, and which pages may ask it.

use helve::serve::HttpSettings;

use super::served::{EDITOR, INITIALIZE, answer, serve, two_principals};

#[tokio::test]
async fn a_name_that_is_not_its_own_is_not_answered() {
    let settings = HttpSettings::new().allow_host("tools.example.com").unwrap();
    let settings = settings.allow_host("[2001:db8::1]:8443").unwrap();
    let served = serve(settings);
    let mut said = Vec::new();
    for host in [
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1",
        "127.0.0.2:80",
        "[::1]:80",
        "tools.example.com",
        "tools.example.com:444",
        "Tools.Example.Com.",
        "[2001:db8::1]:8443",
        "[2001:db8::1]",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@127.0.0.1",
        "127.0.0.1:80:80",
        "10.0.0.1",
        "",
        "a b",
    ] {
        let answer = served
            .ask("POST /mcp", &[&format!("host: {host}")], INITIALIZE)
            .await;
        said.push(format!("`{host}` {}", answer.status));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    `localhost` 200
    `LOCALHOST:1` 200
    `127.0.0.1` 200
    `127.0.0.2:80` 200
    `[::1]:80` 200
    `tools.example.com` 200
    `tools.example.com:444` 200
    `Tools.Example.Com.` 200
    `[2001:db8::1]:8443` 200
    `[2001:db8::1]` 403
    `evil.example` 403
    `localhost.evil.example` 403
    `127.0.0.1.evil.example` 403
    `evil.example@127.0.0.1` 400
    `127.0.0.1:80:80` 400
    `10.0.0.1` 403
    `` 400
    `a b` 400
    "#);
}

#[tokio::test]
async fn a_request_has_one_name() {
    let served = serve(HttpSettings::new());
    let two = served.raw(
        b"GET /mcp HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
    );
    assert_eq!(answer(&two.await).status, 400);
    let none = served
        .raw(b"GET /mcp HTTP/1.1\r\nconnection: close\r\n\r\n")
        .await;
    assert_eq!(answer(&none).status, 400);
    let other = served
        .ask("GET http://evil.example/mcp", &["host: localhost"], "")
        .await;
    assert_eq!(other.status, 403);
}

#[tokio::test]
async fn a_page_of_another_site_is_not_answered() {
    let settings = HttpSettings::new()
        .allow_origin("https://app.example.com")
        .unwrap();
    let served = serve(settings);
    let same = format!("http://{}", served.address);
    let mut said = Vec::new();
    for (name, origin) in [
        ("its own", &*same),
        ("allowed", "https://app.example.com"),
        ("another scheme", "http://app.example.com"),
        ("another port", "https://app.example.com:444"),
        ("evil", "https://evil.example"),
        ("a prefix", "https://app.example.com.evil.example"),
        ("a file", "null"),
        ("another port of this machine", "http://localhost:1"),
        ("empty", ""),
    ] {
        let answer = served
            .ask("POST /mcp", &[&format!("origin: {origin}")], INITIALIZE)
            .await;
        let allowed = answer.header("access-control-allow-origin");
        let allowed = allowed.map_or(
            "-",
            |value| if value == origin { "the origin" } else { value },
        );
        said.push(format!("{name}: {}, readable by {allowed}", answer.status));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    its own: 200, readable by the origin
    allowed: 200, readable by the origin
    another scheme: 403, readable by -
    another port: 403, readable by -
    evil: 403, readable by -
    a prefix: 403, readable by -
    a file: 403, readable by -
    another port of this machine: 403, readable by -
    empty: 403, readable by -
    "#);
}

#[tokio::test]
async fn a_browser_asks_without_a_token() {
    let settings = two_principals()
        .allow_origin("https://app.example.com")
        .unwrap();
    let served = serve(settings);
    let question = "access-control-request-method: POST";
    let origin = "origin: https://app.example.com";
    let may = served.ask("OPTIONS /mcp", &[origin, question], "").await;
    insta::assert_debug_snapshot!((may.status, may.header("access-control-allow-origin"), may.header("access-control-allow-headers"), may.header("access-control-allow-methods")), @r#"
    (
        204,
        Some(
            "https://app.example.com",
        ),
        Some(
            "*, Authorization",
        ),
        Some(
            "GET, POST, DELETE",
        ),
    )
    "#);
    let evil = served
        .ask(
            "OPTIONS /mcp",
            &["origin: https://evil.example", question],
            "",
        )
        .await;
    assert_eq!(
        (evil.status, evil.header("access-control-allow-headers")),
        (403, None)
    );
    let no_page = served.ask("OPTIONS /mcp", &[question], "").await;
    assert_eq!(no_page.status, 401);
    // The page reads why it was refused, and needs a token like every client.
    let refused = served.ask("POST /mcp", &[origin], INITIALIZE).await;
    assert_eq!(refused.status, 401);
    assert!(refused.header("access-control-allow-origin").is_some());
    let token = format!("authorization: Bearer {EDITOR}");
    let begun = served.ask("POST /mcp", &[origin, &token], INITIALIZE).await;
    assert_eq!(begun.status, 200);
    assert!(
        begun
            .header("access-control-expose-headers")
            .unwrap()
            .contains("Mcp-Session-Id")
    );
}

#[test]
fn what_is_no_name_is_refused() {
    let hosts = [
        "",
        "https://example.com",
        "a b",
        "example.com:x",
        "me@example.com",
    ];
    let hosts = hosts.map(|host| {
        HttpSettings::new()
            .allow_host(host)
            .unwrap_err()
            .to_string()
    });
    let origins = ["example.com", "null", "*", "https://", "https://a b"];
    let origins = origins.map(|origin| {
        let refused = HttpSettings::new().allow_origin(origin);
        refused.unwrap_err().to_string()
    });
    insta::assert_snapshot!([hosts, origins].concat().join("\n"), @r#"
    `` is not a valid host: write a name or an address, with a port to allow only that port
    `https://example.com` is not a valid host: write a name or an address, with a port to allow only that port
    `a b` is not a valid host: write a name or an address, with a port to allow only that port
    `example.com:x` is not a valid host: write a name or an address, with a port to allow only that port
    `me@example.com` is not a valid host: write a name or an address, with a port to allow only that port
    `example.com` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`
    `null` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`
    `*` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`
    `https://` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`
    `https://a b` is no origin: write it as browsers do, such as `https://app.example.com` or `http://localhost:3000`
    "#);
}
