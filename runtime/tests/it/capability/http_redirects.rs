//! Redirects of requests.

use std::sync::Arc;

use helve_runtime::capability::{HttpRequest, RefusalCode};
use insta::assert_snapshot;

use crate::capability::http::{door, get, guarded, told};
use crate::capability::names::Names;
use crate::capability::server::{Server, ok, to};

fn localhost() -> Arc<Names> {
    Names::new(&[("localhost", &["127.0.0.1"]), ("inner.test", &["10.1.2.3"])])
}

const ALLOW: &[&str] = &["127.0.0.1:*", "localhost:*", "inner.test:*"];

#[tokio::test]
async fn what_identifies_the_caller_stays_with_its_origin() {
    let other = Server::start("127.0.0.1:0", &[("/end", &ok("end"))]).await;
    let away = to(302, &format!("http://localhost:{}/end", other.port()));
    let server = Server::start(
        "127.0.0.1:0",
        &[("/same", &to(302, "/away")), ("/away", &away)],
    )
    .await;
    let http = door(guarded(ALLOW, localhost()));
    let mut request = HttpRequest::new("GET", format!("http://{}/same", server.address));
    for name in [
        "Authorization",
        "Cookie",
        "Proxy-Authorization",
        "X-Api-Key",
        "X-Anything",
        "Referer",
        "Accept",
        "User-Agent",
    ] {
        request
            .headers
            .push((name.into(), format!("of-{}", name.to_lowercase())));
    }
    assert_eq!(http.send(request).await.unwrap().body, b"end");
    let [first, second] = &server.asked()[..] else {
        panic!("{:?}", server.asked())
    };
    for name in ["authorization", "cookie", "x-api-key", "x-anything"] {
        let header = format!("{name}: of-{name}");
        assert!(
            first.contains(&header) && second.contains(&header),
            "{name}"
        );
        assert!(!other.asked()[0].contains(&header), "{name}");
    }
    let asked = other
        .asked()
        .join("")
        .replace(&other.port().to_string(), "PORT");
    assert_snapshot!(asked, @"
    GET /end HTTP/1.1
    accept: of-accept
    user-agent: of-user-agent
    accept-encoding: gzip, deflate, br
    host: localhost:PORT
    ");
}

#[tokio::test]
async fn methods_change_as_in_browsers() {
    let routes: Vec<(String, String)> = [301, 302, 303, 307, 308]
        .iter()
        .map(|status| (format!("/{status}"), to(*status, "/end")))
        .collect();
    let mut routes: Vec<(&str, &str)> = routes.iter().map(|(a, b)| (&**a, &**b)).collect();
    let end = ok("");
    routes.push(("/end", &end));
    let server = Server::start("127.0.0.1:0", &routes).await;
    let http = door(guarded(ALLOW, localhost()));
    let mut all = Vec::new();
    for status in [301, 302, 303, 307, 308] {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE"] {
            let mut request =
                HttpRequest::new(method, format!("http://{}/{status}", server.address));
            request
                .headers
                .push(("Content-Type".into(), "text/plain".into()));
            if method != "GET" && method != "HEAD" {
                request.body = b"data".to_vec();
            }
            // The body of an answer to HEAD never comes, and the server here sends none.
            http.send(request).await.unwrap();
            let last = server.asked().pop().unwrap();
            let typed = last.contains("content-type");
            let body = last.ends_with("data");
            let verb = last.split(' ').next().unwrap().to_owned();
            all.push(format!(
                "{status} {method} -> {verb}{}{}",
                if body { " body" } else { "" },
                if typed { " type" } else { "" }
            ));
        }
    }
    assert_snapshot!(all.join("\n"), @"
    301 GET -> GET type
    301 HEAD -> HEAD type
    301 POST -> GET
    301 PUT -> PUT body type
    301 DELETE -> DELETE body type
    302 GET -> GET type
    302 HEAD -> HEAD type
    302 POST -> GET
    302 PUT -> PUT body type
    302 DELETE -> DELETE body type
    303 GET -> GET type
    303 HEAD -> HEAD type
    303 POST -> GET
    303 PUT -> GET
    303 DELETE -> GET
    307 GET -> GET type
    307 HEAD -> HEAD type
    307 POST -> POST body type
    307 PUT -> PUT body type
    307 DELETE -> DELETE body type
    308 GET -> GET type
    308 HEAD -> HEAD type
    308 POST -> POST body type
    308 PUT -> PUT body type
    308 DELETE -> DELETE body type
    ");
}

#[tokio::test]
async fn every_redirect_is_judged() {
    let server = Server::start(
        "127.0.0.1:0",
        &[
            ("/meta", &to(302, "http://169.254.169.254/latest")),
            ("/file", &to(302, "file:///etc/passwd")),
            ("/inner", &to(301, "http://inner.test/")),
            ("/user", &to(307, "http://a:b@localhost:{port}/")),
            ("/elsewhere", &to(302, "http://evil.test/?token=secret")),
            ("/decimal", &to(302, "http://2852039166/")),
            ("/loop", &to(302, "/loop")),
            ("/nothing", &to(302, "http://")),
            (
                "/binary",
                "HTTP/1.1 302 Go\r\nlocation: \u{1}\r\ncontent-length: 0\r\n\r\n",
            ),
        ],
    )
    .await;
    let http = door(guarded(ALLOW, localhost()));
    let mut all = Vec::new();
    for path in [
        "meta",
        "file",
        "inner",
        "user",
        "elsewhere",
        "decimal",
        "loop",
        "nothing",
        "binary",
    ] {
        let error = get(&http, &format!("http://{}/{path}", server.address))
            .await
            .unwrap_err();
        all.push(told(&error).replace(&server.port().to_string(), "PORT"));
        if path != "loop" && path != "binary" {
            assert_eq!(error.code(), Some(RefusalCode::HostNotAllowed), "{path}");
        }
    }
    assert_snapshot!(all.join("\n"), @"
    HOST_NOT_ALLOWED refused: `169.254.169.254` may not be reached: a redirect from `http://127.0.0.1:PORT/meta` led there; cloud metadata services are never reachable
    HOST_NOT_ALLOWED refused: `file:///etc/passwd` may not be reached: a redirect from `http://127.0.0.1:PORT/file` led there; only `http` and `https` are spoken here
    HOST_NOT_ALLOWED refused: `inner.test` may not be reached: a redirect from `http://127.0.0.1:PORT/inner` led there; the host resolves to 10.1.2.3, which is a private address; use a public host, or ask the user to allow private addresses
    HOST_NOT_ALLOWED refused: `http://localhost:PORT/` may not be reached: a redirect from `http://127.0.0.1:PORT/user` led there; there are credentials in the URL; send them in a header
    HOST_NOT_ALLOWED refused: `evil.test` may not be reached: a redirect from `http://127.0.0.1:PORT/elsewhere` led there; the allowed hosts are `127.0.0.1:*`, `localhost:*` and `inner.test:*`; use one of them, or ask the user to allow this host
    HOST_NOT_ALLOWED refused: `169.254.169.254` may not be reached: a redirect from `http://127.0.0.1:PORT/decimal` led there; cloud metadata services are never reachable
    using the network failed: gave up after 5 requests, each redirected to the next, at last to `http://127.0.0.1:PORT/loop`
    HOST_NOT_ALLOWED refused: `http://127.0.0.1:PORT/nothing` may not be reached: it redirects to something that is no URL
    using the network failed: the host is allowed, and there was no response from it: error sending request: client error (SendRequest): invalid HTTP header parsed
    ");
    let loops = server
        .asked()
        .iter()
        .filter(|asked| asked.starts_with("GET /loop"))
        .count();
    assert_eq!(loops, 5);
}

#[tokio::test]
async fn what_looks_like_a_redirect_and_is_none_is_the_answer() {
    let server = Server::start(
        "127.0.0.1:0",
        &[
            ("/304", "HTTP/1.1 304 Not Modified\r\n\r\n"),
            (
                "/302",
                "HTTP/1.1 302 Found\r\ncontent-length: 4\r\n\r\nhere",
            ),
            (
                "/300",
                "HTTP/1.1 300 Many\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n",
            ),
            (
                "/200",
                "HTTP/1.1 200 OK\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n",
            ),
        ],
    )
    .await;
    let http = door(guarded(ALLOW, localhost()));
    for status in [304, 302, 300, 200] {
        let response = get(&http, &format!("http://{}/{status}", server.address))
            .await
            .unwrap();
        assert_eq!(response.status, status);
    }
}
