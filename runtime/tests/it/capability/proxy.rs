//! The proxy of a sandbox, through real connections.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, ready};
use helve_runtime::network::HostRules;
use helve_runtime::permission::{Label, Source};
use helve_runtime::sandbox::{Connection, ConnectionApprover, EgressGate, Proxy};
use insta::assert_snapshot;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::capability::names::Names;
use crate::capability::server::{Server, ok};

/// Starts a proxy, with names that lead where the test says.
pub(crate) fn proxy(allow: &[&str], names: Arc<Names>) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let rules = HostRules::from_allowed(allow.iter().copied());
    Proxy::serve_resolving(listener, &rules, names).unwrap()
}

/// Sends bytes and returns all that comes back until the other side closes.
pub(crate) async fn exchange(to: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    let reading = timeout(Duration::from_secs(20), stream.read_to_end(&mut answer));
    let _ = reading.await.expect("an end");
    answer
}

async fn ask(to: SocketAddr, request: &str) -> String {
    String::from_utf8_lossy(&exchange(to, request.as_bytes()).await).into_owned()
}

fn localhost() -> Arc<Names> {
    Names::new(&[
        ("localhost", &["127.0.0.1"]),
        ("inner.test", &["10.1.2.3"]),
        ("meta.test", &["169.254.169.254"]),
    ])
}

/// Shortens an answer to its status, its reason for programs and its body.
fn short(answer: &str) -> String {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.lines().next().unwrap_or_default();
    let reason = head
        .lines()
        .find_map(|line| line.strip_prefix("proxy-status: "));
    let reason = reason
        .and_then(|reason| reason.split("; ").nth(1))
        .unwrap_or("-");
    format!("{status} | {reason} | {}", body.trim_end())
}

#[tokio::test]
async fn requests_are_sent_on_without_what_is_for_the_proxy() {
    let server = Server::start("127.0.0.1:0", &[("/a?b", &ok("hello"))]).await;
    let proxy = proxy(&["localhost:*"], localhost());
    let port = server.port();
    let request = format!(
        "POST http://LOCALHOST:{port}/a?b HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: x\r\n\
         Proxy-Connection: keep-alive\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nX-Other: 2\r\n\
         Content-Length: 4\r\n\r\ndata"
    );
    let answer = ask(proxy.address(), &request).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("hello"),
        "{answer}"
    );
    let asked = server.asked().join("").replace(&port.to_string(), "PORT");
    assert_snapshot!(asked, @"
    POST /a?b HTTP/1.1
    host: localhost:PORT
    content-length: 4
    x-other: 2
    data
    ");
}

/// Counts the questions about connections, and says the same of each.
struct Counting(AtomicUsize, Result<(), String>);

impl ConnectionApprover for Counting {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        assert_eq!(connection.host, "localhost");
        self.0.fetch_add(1, Ordering::Relaxed);
        ready(self.1.clone()).boxed()
    }
}

#[tokio::test]
async fn connections_are_held_once_something_untrusted_was_read() {
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let port = server.port();
    let request = format!("GET http://localhost:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n");
    let held = proxy(&["localhost:*"], localhost());
    let get =
        || async { short(&ask(held.address(), &request).await).replace(&port.to_string(), "PORT") };
    assert_snapshot!(get().await, @"HTTP/1.1 200 OK | - | hello");
    held.gate().join_label(&Label::workspace());
    assert_snapshot!(get().await, @"HTTP/1.1 200 OK | - | hello");
    held.gate()
        .join_label(&Source::web("fetch", "https://e.org").into());
    assert_snapshot!(get().await, @"HTTP/1.1 403 Forbidden | error=http_request_denied | the connection to `localhost:PORT` was refused: untrusted text was read from `fetch` (https://e.org), and no approver is attached; a rule of `sandbox.even_tainted` opens the host all the same");
    let no = Arc::new(Counting(
        AtomicUsize::new(0),
        Err("the user rejected it".into()),
    ));
    held.gate().begin_turn("t1", no.clone());
    assert_snapshot!(get().await, @"HTTP/1.1 403 Forbidden | error=http_request_denied | the connection to `localhost:PORT` was refused: untrusted text was read from `fetch` (https://e.org), and the user rejected it; a rule of `sandbox.even_tainted` opens the host all the same");
    assert_eq!(no.0.load(Ordering::Relaxed), 1);
    // What is approved is approved for the rest of the turn, however many connections come at once.
    let yes = Arc::new(Counting(AtomicUsize::new(0), Ok(())));
    held.gate().begin_turn("t1", yes.clone());
    for answer in futures_util::future::join_all((0..5).map(|_| get())).await {
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert_eq!(yes.0.load(Ordering::Relaxed), 1);
    held.gate().end_turn("t1");
    assert!(get().await.starts_with("HTTP/1.1 403"));
    assert_eq!(held.gate().reached_hosts(), ["localhost"]);
}

#[tokio::test]
async fn the_turn_that_started_a_command_last_and_is_open_answers_and_each_has_its_approvals() {
    let gate = EgressGate::new();
    gate.join_label(&Source::web("fetch", "https://e.org").into());
    let yes = || Arc::new(Counting(AtomicUsize::new(0), Ok(())));
    let asked = |of: &Arc<Counting>| of.0.load(Ordering::Relaxed);
    let (parent, child) = (yes(), yes());
    let connect = || async { gate.admit("localhost", 443, false).await };
    gate.begin_turn("t1", parent.clone());
    connect().await.unwrap();
    gate.begin_turn("t1/1.0", child.clone());
    connect().await.unwrap();
    connect().await.unwrap();
    assert_eq!((asked(&parent), asked(&child)), (1, 1));
    // A command of the parent: what was approved in its turn still is.
    gate.begin_turn("t1", parent.clone());
    connect().await.unwrap();
    assert_eq!((asked(&parent), asked(&child)), (1, 1));
    gate.begin_turn("t1/1.0", child.clone());
    gate.end_turn("t1/1.0");
    connect().await.unwrap();
    gate.admit("localhost", 80, false).await.unwrap();
    assert_eq!((asked(&parent), asked(&child)), (2, 1));
    gate.end_turn("t1");
    connect().await.unwrap_err();
}

#[tokio::test]
async fn a_name_is_looked_up_only_once_its_connection_is_approved() {
    let names = localhost();
    let held = proxy(&["*.test"], Arc::clone(&names));
    held.gate()
        .join_label(&Source::web("fetch", "https://e.org").into());
    let request = "GET http://secret.inner.test/ HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert!(
        ask(held.address(), request)
            .await
            .starts_with("HTTP/1.1 403")
    );
    assert_eq!(names.asked(), [""; 0]);
    // What no rule allows is no question.
    let request = "GET http://evil.example/ HTTP/1.1\r\nConnection: close\r\n\r\n";
    let answer = ask(held.address(), request).await;
    assert!(
        answer.contains("`evil.example` may not be reached"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_host_whose_rule_says_so_is_reached_whatever_was_read() {
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let port = server.port();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut rules = HostRules::from_allowed(["localhost:*"]);
    rules.even_tainted = vec!["localhost:*".into()];
    let open = Proxy::serve_resolving(listener, &rules, localhost()).unwrap();
    open.gate()
        .join_label(&Source::web("fetch", "https://e.org").into());
    let request = format!("GET http://localhost:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_snapshot!(short(&ask(open.address(), &request).await), @"HTTP/1.1 200 OK | - | hello");
}

#[tokio::test]
async fn what_is_refused_is_refused_in_words() {
    let proxy = proxy(
        &["localhost:*", "inner.test", "meta.test", "unknown.test"],
        localhost(),
    );
    let mut all = Vec::new();
    for request in [
        "GET http://evil.test/ HTTP/1.1",
        "GET http://inner.test/ HTTP/1.1",
        "GET http://meta.test/ HTTP/1.1",
        "GET http://unknown.test/ HTTP/1.1",
        "GET http://169.254.169.254/latest HTTP/1.1",
        "GET http://2852039166/latest HTTP/1.1",
        "GET http://[::ffff:127.0.0.1]/ HTTP/1.1",
        "GET http://127.0.0.1:1/ HTTP/1.1",
        "GET http://user:pw@localhost/ HTTP/1.1",
        "GET https://localhost/ HTTP/1.1",
        "GET ftp://localhost/ HTTP/1.1",
        "GET / HTTP/1.1",
        "CONNECT evil.test:443 HTTP/1.1",
        "CONNECT inner.test:443 HTTP/1.1",
        "CONNECT inner.test:22 HTTP/1.1",
        "CONNECT 127.1:443 HTTP/1.1",
        "CONNECT [::1]:443 HTTP/1.1",
        "CONNECT evil.test:80 HTTP/1.1",
        "CONNECT localhost:1 HTTP/1.1",
        "CONNECT localhost HTTP/1.1",
        "CONNECT localhost:99999 HTTP/1.1",
    ] {
        let request = format!("{request}\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = ask(proxy.address(), &request).await;
        let line = request.lines().next().unwrap();
        all.push(format!("{line}\n  {}", short(&answer)));
    }
    assert_snapshot!(all.join("\n"), @"
    GET http://evil.test/ HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `evil.test` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    GET http://inner.test/ HTTP/1.1
      HTTP/1.1 403 Forbidden | error=destination_ip_prohibited | `inner.test` may not be reached: the host resolves to 10.1.2.3, which is a private address; use a public host, or ask the user to allow private addresses
    GET http://meta.test/ HTTP/1.1
      HTTP/1.1 403 Forbidden | error=destination_ip_prohibited | `meta.test` may not be reached: the host resolves to 169.254.169.254, which is a metadata service of cloud machines; use a public host
    GET http://unknown.test/ HTTP/1.1
      HTTP/1.1 502 Bad Gateway | error=dns_error | `unknown.test` may not be reached: the name cannot be resolved (no such name); check the spelling
    GET http://169.254.169.254/latest HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `169.254.169.254` may not be reached: cloud metadata services are never reachable
    GET http://2852039166/latest HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `169.254.169.254` may not be reached: cloud metadata services are never reachable
    GET http://[::ffff:127.0.0.1]/ HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `127.0.0.1` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    GET http://127.0.0.1:1/ HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `127.0.0.1` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    GET http://user:pw@localhost/ HTTP/1.1
      HTTP/1.1 400 Bad Request | error=http_request_error | credentials in a URL are not passed on; send them in a header
    GET https://localhost/ HTTP/1.1
      HTTP/1.1 400 Bad Request | error=http_request_error | the proxy only forwards `http`; use CONNECT for other schemes
    GET ftp://localhost/ HTTP/1.1
      HTTP/1.1 400 Bad Request | error=http_request_error | the proxy only forwards `http`; use CONNECT for other schemes
    GET / HTTP/1.1
      HTTP/1.1 400 Bad Request | error=http_request_error | the proxy needs an absolute URL, such as `http://example.com/`
    CONNECT evil.test:443 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `evil.test` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    CONNECT inner.test:443 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=destination_ip_prohibited | `inner.test` may not be reached: the host resolves to 10.1.2.3, which is a private address; use a public host, or ask the user to allow private addresses
    CONNECT inner.test:22 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `inner.test` may not be reached: port 22 is not allowed for this host; use port 443 or 80, or ask the user to allow `inner.test:22`
    CONNECT 127.1:443 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `127.0.0.1` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    CONNECT [::1]:443 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `[::1]` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    CONNECT evil.test:80 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `evil.test` may not be reached: the allowed hosts are `localhost:*`, `inner.test`, `meta.test` and `unknown.test`; use one of them, or ask the user to allow this host
    CONNECT localhost:1 HTTP/1.1
      HTTP/1.1 502 Bad Gateway | error=destination_unavailable | `localhost` is allowed, but does not answer on port 1: Connection refused (os error 111)
    CONNECT localhost HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `localhost` may not be reached: this is not a valid host name; check the spelling
    CONNECT localhost:99999 HTTP/1.1
      HTTP/1.1 403 Forbidden | error=http_request_denied | `localhost:99999` may not be reached: this is not a valid host name; check the spelling
    ");
}

#[tokio::test]
async fn a_tunnel_to_a_port_of_its_own_passes_bytes_both_ways() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // The server speaks first, as for SSH.
        stream.write_all(b"welcome\n").await.unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).await.unwrap();
        stream.write_all(&said).await.unwrap();
    });
    let proxy = proxy(&["localhost:*"], localhost());
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 1000];
    let mut told = String::new();
    while !told.ends_with("welcome\n") {
        let count = stream.read(&mut answer).await.unwrap();
        assert!(count > 0, "{told}");
        told.push_str(&String::from_utf8_lossy(&answer[..count]));
    }
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    let much = vec![b'x'; 3 << 20];
    let (mut reader, mut writer) = stream.split();
    let sending = async {
        writer.write_all(&much).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let mut back = Vec::new();
    let (_, read) = tokio::join!(sending, reader.read_to_end(&mut back));
    read.unwrap();
    assert_eq!(back.len(), much.len());
    serving.await.unwrap();
}

#[tokio::test]
async fn the_address_that_was_judged_is_dialled() {
    let first = Server::start("127.0.0.1:0", &[("/", &ok("first"))]).await;
    let names = Names::changing([("localhost", vec![&["127.0.0.1"][..], &["10.0.0.1"]])]);
    let proxy = proxy(&["localhost:*"], Arc::clone(&names));
    let request = format!(
        "GET http://localhost:{}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        first.port()
    );
    assert!(ask(proxy.address(), &request).await.ends_with("first"));
    assert_eq!(names.asked().len(), 1);
    assert!(
        ask(proxy.address(), &request)
            .await
            .starts_with("HTTP/1.1 403")
    );
}

#[tokio::test]
async fn heads_and_noise_are_bounded() {
    let proxy = proxy(&["localhost:*"], localhost());
    let long = format!(
        "GET http://localhost/ HTTP/1.1\r\nX: {}\r\n\r\n",
        "y".repeat(200_000)
    );
    let answer = ask(proxy.address(), &long).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
        "{answer}"
    );
    let many = format!(
        "GET http://localhost/ HTTP/1.1\r\n{}\r\n",
        "X: y\r\n".repeat(500)
    );
    let answer = ask(proxy.address(), &many).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
        "{answer}"
    );
    for noise in [
        &b"\x16\x03\x01\x00\x05hello"[..],
        b"\0\0\0\0\r\n\r\n",
        b"CONNECT  HTTP/1.1\r\n\r\n",
        b"SSH-2.0-x\r\n\r\n",
    ] {
        let answer = exchange(proxy.address(), noise).await;
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"),
            "{noise:?}"
        );
    }
}

#[tokio::test]
async fn everything_ends_with_the_proxy() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let proxy = proxy(&["localhost:*"], localhost());
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    let address = proxy.address();
    drop(proxy);
    let mut rest = Vec::new();
    let ended = timeout(Duration::from_secs(20), server.read_to_end(&mut rest));
    let _ = ended.await.expect("the tunnel ends");
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut rest))
        .await
        .expect("the client is let go");
    assert!(TcpStream::connect(address).await.is_err());
}

#[test]
fn rules_that_cannot_be_read_are_an_error() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let _entered = runtime.enter();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let error =
        Proxy::serve(listener, &HostRules::from_allowed(["https://crates.io"])).unwrap_err();
    assert_eq!(error.to_string(), "reading the rules about hosts");
}

/// Allows every connection, and records which ones.
#[derive(Default)]
struct Allowing(std::sync::Mutex<Vec<String>>);

impl ConnectionApprover for Allowing {
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>> {
        let line = format!(
            "{}:{} {}",
            connection.host, connection.port, connection.listed
        );
        self.0.lock().unwrap().push(line);
        ready(Ok(())).boxed()
    }
}

#[tokio::test]
async fn a_host_that_no_rule_allows_is_resolved_only_once_it_is_allowed_and_its_addresses_are_checked()
 {
    let names = localhost();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut rules = HostRules::from_allowed(["known.test"]);
    rules.deny.push("10.1.2.4".into());
    let gate = EgressGate::asking();
    let asking = Proxy::serve_with(listener, &rules, names.clone(), gate.clone()).unwrap();
    let get = async |host: &str| {
        let request = format!("GET http://{host}/ HTTP/1.1\r\nConnection: close\r\n\r\n");
        short(&ask(asking.address(), &request).await)
    };
    assert_snapshot!(get("inner.test").await, @"HTTP/1.1 403 Forbidden | error=http_request_denied | the connection to `inner.test:80` was refused: no rule allows the host, and no approver is attached; a rule of `sandbox.hosts` allows it");
    assert_eq!(names.asked(), [""; 0]);
    let allowing = Arc::new(Allowing::default());
    gate.begin_turn("t1", allowing.clone());
    for host in ["inner.test", "meta.test"] {
        let answer = get(host).await;
        assert!(
            answer.contains("error=destination_ip_prohibited"),
            "{answer}"
        );
    }
    assert_eq!(names.asked(), ["inner.test", "meta.test"]);
    for host in [
        "10.1.2.3",
        "10.1.2.4",
        "169.254.169.254",
        "localhost",
        "127.0.0.1:9",
    ] {
        let answer = get(host).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    let asked = allowing.0.lock().unwrap();
    assert_eq!(*asked, ["inner.test:80 false", "meta.test:80 false"]);
    assert_eq!(gate.reached_hosts(), [""; 0]);
}
