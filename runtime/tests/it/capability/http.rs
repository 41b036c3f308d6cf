//! Requests of tools.

use std::sync::Arc;
use std::time::Duration;

use helve_runtime::capability::{
    CapabilityError, GuardedHttp, Http, HttpRequest, HttpResponse, RefusalCode, Requires,
};
use helve_runtime::network::HostRules;
use insta::assert_snapshot;

use crate::capability::names::Names;
use crate::capability::server::{Server, ok};

const NET: Requires = Requires {
    net: true,
    ..Requires::NONE
};

pub(crate) fn guarded(allow: &[&str], names: Arc<Names>) -> GuardedHttp {
    let rules = HostRules::from_allowed(allow.iter().copied());
    GuardedHttp::new(&rules).unwrap().resolver(names)
}

pub(crate) fn door(http: GuardedHttp) -> Http {
    Http::new(&NET, Some(Arc::new(http)))
}

pub(crate) async fn get(http: &Http, url: &str) -> Result<HttpResponse, CapabilityError> {
    http.send(HttpRequest::new("GET", url)).await
}

/// Tells an error with its causes, and its code.
pub(crate) fn told(error: &CapabilityError) -> String {
    let mut text = error.to_string();
    let mut link = std::error::Error::source(error);
    while let Some(cause) = link {
        text.push_str(&format!(": {cause}"));
        link = cause.source();
    }
    match error.code() {
        Some(code) => format!("{} {text}", code.as_str()),
        None => text,
    }
}

#[tokio::test]
async fn a_request_reaches_an_allowed_host_with_all_that_it_says() {
    let server = Server::start("127.0.0.1:0", &[("/a?b=c", &ok("hello"))]).await;
    let http = door(guarded(&["127.0.0.1:*"], Names::new(&[])));
    let mut request = HttpRequest::new("POST", format!("http://{}/a?b=c#d", server.address));
    request.headers = vec![
        ("X-Key".into(), "secret".into()),
        ("Accept".into(), "a".into()),
    ];
    request.body = b"data".to_vec();
    let response = http.send(request).await.unwrap();
    assert_eq!((response.status, &*response.body), (200, &b"hello"[..]));
    let asked = server
        .asked()
        .join("")
        .replace(&server.port().to_string(), "PORT");
    assert_snapshot!(asked, @"
    POST /a?b=c HTTP/1.1
    x-key: secret
    accept: a
    accept-encoding: gzip, deflate, br
    user-agent: helve/0.1.0
    host: 127.0.0.1:PORT
    content-length: 4
    data
    ");
}

#[tokio::test]
async fn what_may_not_be_reached_is_refused_in_words() {
    let names = Names::new(&[
        ("meta.test", &["169.254.169.254"]),
        ("inner.test", &["10.0.0.1"]),
        ("localhost", &["127.0.0.1"]),
    ]);
    let http = door(guarded(&["*:*"], names));
    let mut all = Vec::new();
    for url in [
        "file:///etc/passwd",
        "gopher://example.com/",
        "javascript:alert(1)",
        "data:text/plain,x",
        "ftp://example.com/",
        "http://user:pw@example.com/?token=secret",
        "http://@example.com/",
        "nonsense",
        "/etc/passwd",
        "",
        "http:///",
        "http://[::1%25lo]/",
        "http://localhost/",
        "http://127.1/",
        "http://0x7f000001:8080/",
        "http://[::ffff:169.254.169.254]/latest",
        "http://meta.test/",
        "http://inner.test/",
        "http://unknown.test/",
        "http://metadata.google.internal./computeMetadata/v1/",
    ] {
        let error = get(&http, url).await.unwrap_err();
        assert_eq!(error.code(), Some(RefusalCode::HostNotAllowed), "{url}");
        all.push(format!("{url}\n  {}", told(&error)));
    }
    let all = all.join("\n");
    assert!(!all.contains("token=secret` may"), "a query may be secret");
    assert_snapshot!(all, @"
    file:///etc/passwd
      HOST_NOT_ALLOWED refused: `file:///etc/passwd` may not be reached: only `http` and `https` are spoken here
    gopher://example.com/
      HOST_NOT_ALLOWED refused: `gopher://example.com/` may not be reached: only `http` and `https` are spoken here
    javascript:alert(1)
      HOST_NOT_ALLOWED refused: `javascript:alert(1)` may not be reached: only `http` and `https` are spoken here
    data:text/plain,x
      HOST_NOT_ALLOWED refused: `data:text/plain,x` may not be reached: only `http` and `https` are spoken here
    ftp://example.com/
      HOST_NOT_ALLOWED refused: `ftp://example.com/` may not be reached: only `http` and `https` are spoken here
    http://user:pw@example.com/?token=secret
      HOST_NOT_ALLOWED refused: `http://example.com/` may not be reached: there are credentials in the URL; send them in a header
    http://@example.com/
      HOST_NOT_ALLOWED refused: `example.com` may not be reached: the name cannot be resolved (no such name); check the spelling
    nonsense
      HOST_NOT_ALLOWED refused: `nonsense` may not be reached: it is not an absolute URL; write `https://host/path`
    /etc/passwd
      HOST_NOT_ALLOWED refused: `/etc/passwd` may not be reached: it is not an absolute URL; write `https://host/path`

      HOST_NOT_ALLOWED refused: `` may not be reached: it is not an absolute URL; write `https://host/path`
    http:///
      HOST_NOT_ALLOWED refused: `http:///` may not be reached: it is not an absolute URL; write `https://host/path`
    http://[::1%25lo]/
      HOST_NOT_ALLOWED refused: `http://[::1%25lo]/` may not be reached: it is not an absolute URL; write `https://host/path`
    http://localhost/
      HOST_NOT_ALLOWED refused: `localhost` may not be reached: names of the local network need a rule that names them exactly; ask the user to allow this host
    http://127.1/
      HOST_NOT_ALLOWED refused: `127.0.0.1` may not be reached: the host resolves to 127.0.0.1, which is a loopback address: this machine itself; use a public host, or ask the user to allow that address
    http://0x7f000001:8080/
      HOST_NOT_ALLOWED refused: `127.0.0.1` may not be reached: the host resolves to 127.0.0.1, which is a loopback address: this machine itself; use a public host, or ask the user to allow that address
    http://[::ffff:169.254.169.254]/latest
      HOST_NOT_ALLOWED refused: `169.254.169.254` may not be reached: cloud metadata services are never reachable
    http://meta.test/
      HOST_NOT_ALLOWED refused: `meta.test` may not be reached: the host resolves to 169.254.169.254, which is a metadata service of cloud machines; use a public host
    http://inner.test/
      HOST_NOT_ALLOWED refused: `inner.test` may not be reached: the host resolves to 10.0.0.1, which is a private address; use a public host, or ask the user to allow private addresses
    http://unknown.test/
      HOST_NOT_ALLOWED refused: `unknown.test` may not be reached: the name cannot be resolved (no such name); check the spelling
    http://metadata.google.internal./computeMetadata/v1/
      HOST_NOT_ALLOWED refused: `metadata.google.internal` may not be reached: cloud metadata services are never reachable
    ");
}

#[tokio::test]
async fn the_addresses_that_were_judged_are_dialled_and_the_name_is_asked_once() {
    let first = Server::start("127.0.0.1:0", &[("/", &ok("first"))]).await;
    let other = Server::start(
        &format!("127.0.0.2:{}", first.port()),
        &[("/", &ok("other"))],
    )
    .await;
    let names = Names::changing([(
        "localhost",
        vec![&["127.0.0.1"][..], &["127.0.0.2"], &["10.0.0.1"]],
    )]);
    let url = format!("http://localhost:{}/", first.port());
    for (expected, asked) in [("first", 1), ("other", 2)] {
        // A client of its own each time, which has no open connection.
        let http = door(guarded(&["localhost:*"], Arc::clone(&names)));
        let response = get(&http, &url).await.unwrap();
        assert_eq!(response.body, expected.as_bytes());
        assert_eq!(names.asked().len(), asked);
    }
    let http = door(guarded(&["localhost:*"], Arc::clone(&names)));
    let error = get(&http, &url).await.unwrap_err();
    assert!(told(&error).contains("10.0.0.1"), "{}", told(&error));
    assert_eq!((first.asked().len(), other.asked().len()), (1, 1));
}

#[tokio::test]
async fn a_tool_reaches_only_what_it_declared() {
    const DECLARED: Requires = Requires {
        hosts: &["localhost:*"],
        ..NET
    };
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let names = Names::new(&[("localhost", &["127.0.0.1"])]);
    let backend = Arc::new(guarded(&["localhost:*", "127.0.0.1:*"], names));
    let http = Http::new(&DECLARED, Some(backend.clone()));
    get(&http, &format!("http://localhost:{}/", server.port()))
        .await
        .unwrap();
    let error = get(&http, &format!("http://{}/", server.address))
        .await
        .unwrap_err();
    assert_snapshot!(told(&error), @r#"HOST_NOT_ALLOWED refused: `127.0.0.1` may not be reached: this tool declared that it reaches `localhost:*` and no other host; declare it in `requires(net("…"))` on the tool"#);
    let undeclared = Http::new(&Requires::NONE, Some(backend));
    let error = get(&undeclared, "http://localhost/").await.unwrap_err();
    assert_eq!(error.code(), Some(RefusalCode::NotDeclared));
    let error = get(&Http::new(&NET, None), "http://localhost/")
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(RefusalCode::NotGranted));
}

#[tokio::test]
async fn size_and_time_are_bounded() {
    let endless = "HTTP/1.1 200 OK\r\n\r\n".to_owned() + &"x".repeat(100_000);
    let lying = "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nx";
    let huge = "HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\nx";
    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx";
    let heads = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(2_000_000));
    let server = Server::start(
        "127.0.0.1:0",
        &[
            ("/endless", &endless),
            ("/lying", lying),
            ("/huge", huge),
            ("/slow", slow),
            ("/heads", &heads),
        ],
    )
    .await;
    let http = guarded(&["127.0.0.1:*"], Names::new(&[]));
    let http = door(
        http.response_limit(50_000)
            .time_limit(Duration::from_millis(800)),
    );
    let mut all = Vec::new();
    for path in ["endless", "lying", "huge", "slow", "heads"] {
        let url = format!("http://{}/{path}", server.address);
        let error = get(&http, &url).await.unwrap_err();
        all.push(format!(
            "{path}: {error}: {}",
            std::error::Error::source(&error).unwrap()
        ));
    }
    assert_snapshot!(all.join("\n"), @"
    endless: using the network failed: the response has more than 50000 bytes; ask for less of it
    lying: using the network failed: the host is allowed, and there was no response from it
    huge: using the network failed: the response has more than 50000 bytes; ask for less of it
    slow: using the network failed: there was no whole response within 800ms
    heads: using the network failed: the host is allowed, and there was no response from it
    ");
}

#[tokio::test]
async fn methods_and_headers_that_lead_past_the_guard_are_refused() {
    let http = door(guarded(&["*:*"], Names::new(&[])));
    let mut all = Vec::new();
    for (method, header) in [
        ("CONNECT", None),
        ("GET /x HTTP/1.1\r\nHost: evil\r\n\r\n", None),
        ("", None),
        ("GET", Some(("Host", "evil.test"))),
        ("GET", Some(("Transfer-Encoding", "chunked"))),
        ("GET", Some(("X", "a\r\nHost: evil"))),
        ("GET", Some(("X: Y", "a"))),
    ] {
        let mut request = HttpRequest::new(method, "http://93.184.216.34/");
        request
            .headers
            .extend(header.map(|(name, value)| (name.to_owned(), value.to_owned())));
        all.push(told(&http.send(request).await.unwrap_err()));
    }
    assert_snapshot!(all.join("\n"), @r#"
    using the network failed: `CONNECT` is no HTTP method; use one such as GET or POST
    using the network failed: `GET /x HTTP/1.1\r\nHost: evil\r\n\r\n` is no HTTP method; use one such as GET or POST
    using the network failed: `` is no HTTP method; use one such as GET or POST
    using the network failed: the header `Host` cannot be sent: it is set by the client itself; leave it out
    using the network failed: the header `Transfer-Encoding` cannot be sent: it is set by the client itself; leave it out
    using the network failed: the header `X` cannot be sent: its value has a line break or another control character
    using the network failed: the header `X: Y` cannot be sent: its name is none
    "#);
}
