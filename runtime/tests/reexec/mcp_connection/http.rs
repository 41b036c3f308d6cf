//! Servers over streamable HTTP: with sessions and without, gone and back, and not quite right.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, FutureExt as _};
use helve_runtime::mcp::ServerConfig;
use helve_runtime::mcp::connection::{Connection, ConnectionDeps};
use libtest_mimic::Trial;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::mcp_connection::script::{discover_result, initialize_result, text_result, tool};
use crate::mcp_connection::support::{context, error_text, text, trial, until};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        trial("a server without sessions is spoken to", stateless),
        trial(
            "a server with sessions is spoken to, and told of the end",
            sessions,
        ),
        trial("a forgotten session is made anew", forgotten),
        trial(
            "a server that calls an unknown session a bad request is greeted anew",
            bad_request,
        ),
        trial(
            "a lost session does not cut off the other calls in flight",
            in_flight,
        ),
        trial("a server that asks for a login is told", unauthorized),
        trial("a redirect to another place is not followed", redirect),
        trial("an answer that is too large is told", too_large),
        trial("an answer that is no JSON is told", no_json),
        trial("a page of the web is no server", web_page),
        trial(
            "nobody there is told, and somebody later is found",
            gone_and_back,
        ),
        trial("an address that is none is told", no_address),
    ]
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) message: Value,
}

impl ReceivedRequest {
    fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What is answered: everything after the first word of the status line, written as it is.
pub(crate) type RawResponse = String;

pub(crate) fn raw_response(status: &str, headers: &str, body: &str) -> RawResponse {
    let length = body.len();
    format!("{status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

pub(crate) fn json_response(asked: &ReceivedRequest, result: &Value, headers: &str) -> RawResponse {
    let body = json!({ "jsonrpc": "2.0", "id": asked.message["id"], "result": result });
    let headers = format!("content-type: application/json\r\n{headers}");
    raw_response("200 OK", &headers, &body.to_string())
}

fn events(events: &[String]) -> RawResponse {
    let body: String = events
        .iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect();
    raw_response("200 OK", "content-type: text/event-stream\r\n", &body)
}

/// Serves over HTTP what `answers` says, one request a connection.
pub(crate) async fn serve(
    listener: TcpListener,
    answers: impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync + 'static,
) {
    serve_with_hold(listener, |_| std::future::ready(()), answers).await;
}

/// Serves as [`serve`] does, and answers a request once what `hold` returns for it has completed.
async fn serve_with_hold<F>(
    listener: TcpListener,
    hold: impl Fn(&ReceivedRequest) -> F + Send + Sync + 'static,
    answers: impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync + 'static,
) where
    F: Future<Output = ()> + Send,
{
    let shared = Arc::new((hold, answers));
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let (hold, answers) = &*shared;
            let mut stream = stream;
            if let Some(asked) = read(&mut stream).await {
                hold(&asked).await;
                let told = format!("HTTP/1.1 {}", answers(&asked));
                let told = told.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                let _ = stream.write_all(told.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
    }
}

pub(crate) async fn read(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
            let mut words = head.split(' ').map(str::to_owned);
            let mut asked = ReceivedRequest {
                verb: words.next()?,
                path: words.next()?,
                head,
                message: Value::Null,
            };
            let length = asked
                .header("content-length")
                .map_or(0, |length| length.parse().unwrap());
            while bytes.len() < end + 4 + length {
                if stream.read_buf(&mut bytes).await.ok()? == 0 {
                    return None;
                }
            }
            asked.message = serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default();
            return Some(asked);
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

async fn start(
    answers: impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync + 'static,
) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, answers));
    connection(&url)
}

fn connection(url: &str) -> Connection {
    let config = ServerConfig::http("web".parse().unwrap(), url).header("x-key", "hidden");
    Connection::new(config, ConnectionDeps::new())
}

async fn call(connection: &Connection) -> String {
    let called = crate::mcp_connection::support::call(connection, "a", false);
    text(&called.await.unwrap())
}

/// Answers as a server of 2026-07-28 does, whose calls are answered by `rest`.
fn modern(
    rest: impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync + 'static,
) -> impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync {
    move |asked| match asked.method() {
        "server/discover" => json_response(asked, &discover_result(&["2026-07-28"]), ""),
        "tools/list" => json_response(
            asked,
            &json!({ "resultType": "complete", "tools": [tool("a")] }),
            "",
        ),
        "tools/call" => rest(asked),
        // A call that fails may be cancelled, too, and an error about that would hide the first one.
        method if method.starts_with("notifications/") => raw_response("202 Accepted", "", ""),
        _ => raw_response("404 Not Found", "", ""),
    }
}

async fn stateless() {
    let heads: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
    let kept = Arc::clone(&heads);
    let connection = start(modern(move |asked| {
        kept.lock().unwrap().push(asked.clone());
        let token = &asked.message["params"]["_meta"]["progressToken"];
        let report = json!({ "progressToken": token, "progress": 1 });
        let report =
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": report });
        let result =
            json!({ "jsonrpc": "2.0", "id": asked.message["id"], "result": text_result("done") });
        events(&[report.to_string(), result.to_string()])
    }))
    .await;
    let (cx, reports) = context(None);
    let called = connection.call("a", Map::new(), &cx, false).await.unwrap();
    assert_eq!(text(&called), "done");
    assert_eq!(reports.lock().unwrap().len(), 1);
    assert_eq!(
        connection.status().protocol_version.as_deref(),
        Some("2026-07-28")
    );
    let asked = heads.lock().unwrap()[0].clone();
    for (name, value) in [
        ("x-key", "hidden"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "a"),
    ] {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    assert_eq!(asked.header("mcp-session-id"), None);
}

/// A server of old with sessions, which knows only the latest; `unknown` answers the others.
fn with_sessions(
    log: &Arc<Mutex<Vec<String>>>,
    current: &Arc<AtomicUsize>,
    unknown: &'static str,
) -> impl Fn(&ReceivedRequest) -> RawResponse + Send + Sync + 'static {
    let (log, current) = (Arc::clone(log), Arc::clone(current));
    move |asked| {
        let session = asked.header("mcp-session-id");
        let line = format!("{} {} {session:?}", asked.verb, asked.method());
        log.lock().unwrap().push(line);
        let known = format!("s{}", current.load(Ordering::SeqCst));
        match (asked.verb.as_str(), asked.method()) {
            (_, "server/discover") => raw_response("400 Bad Request", "", "no session"),
            (_, "initialize") => json_response(
                asked,
                &initialize_result("2025-11-25"),
                &format!("mcp-session-id: {known}\r\n"),
            ),
            ("GET", _) => raw_response("405 Method Not Allowed", "", ""),
            ("DELETE", _) => raw_response("204 No Content", "", ""),
            _ if session != Some(&known) => {
                raw_response(unknown, "content-type: text/plain\r\n", "who?")
            }
            (_, "tools/list") => json_response(asked, &json!({ "tools": [tool("a")] }), ""),
            (_, "tools/call") => json_response(asked, &text_result(&known), ""),
            _ => raw_response("202 Accepted", "", ""),
        }
    }
}

async fn sessions() {
    let (log, current) = (Arc::default(), Arc::default());
    let connection = start(with_sessions(&log, &current, "404 Not Found")).await;
    assert_eq!(call(&connection).await, "s0");
    connection.close().await;
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains("POST tools/call Some(\"s0\")"), "{log}");
    assert!(log.contains("DELETE  Some(\"s0\")"), "{log}");
}

async fn forgotten() {
    let (log, current) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
    let connection = start(with_sessions(&log, &current, "404 Not Found")).await;
    assert_eq!(call(&connection).await, "s0");
    current.fetch_add(1, Ordering::SeqCst);
    assert_eq!(call(&connection).await, "s1");
    assert_eq!(connection.status().restarts, 0);
}

async fn bad_request() {
    let (log, current) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
    let connection = start(with_sessions(&log, &current, "400 Bad Request")).await;
    assert_eq!(call(&connection).await, "s0");
    current.fetch_add(1, Ordering::SeqCst);
    assert_eq!(call(&connection).await, "s1");
    assert_eq!(connection.status().restarts, 1);
}

/// The names of the tools that were called, and the methods of the other requests.
type ArrivedCalls = Arc<watch::Sender<Vec<String>>>;

/// Returns a hold for [`serve_with_hold`]: the call of `first` is answered once all three calls are in flight, and those of
/// `second` and `kept` once there is another handshake.
fn hold_calls(
    arrived: &ArrivedCalls,
) -> impl Fn(&ReceivedRequest) -> BoxFuture<'static, ()> + Send + Sync + 'static {
    let shared = Arc::clone(arrived);
    move |asked: &ReceivedRequest| {
        let tool = asked.message["params"]["name"].as_str();
        let name = tool.unwrap_or(asked.method()).to_owned();
        shared.send_modify(|arrived| arrived.push(name.clone()));
        let awaited: &[&str] = match &*name {
            "first" => &["first", "second", "kept"],
            "second" | "kept" => &["initialize"],
            _ => &[],
        };
        let mut arrived = shared.subscribe();
        async move {
            let has_all = |arrived: &Vec<String>| {
                let mut awaited = awaited.iter();
                awaited.all(|name| arrived.iter().any(|arrived| arrived == name))
            };
            let _ = arrived.wait_for(has_all).await;
        }
        .boxed()
    }
}

async fn in_flight() {
    let (log, current) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
    let by_session = with_sessions(&log, &current, "400 Bad Request");
    let answers = move |asked: &ReceivedRequest| {
        if asked.message["params"]["name"] == "kept" {
            return json_response(asked, &text_result("kept"), "");
        }
        by_session(asked)
    };
    let arrived = ArrivedCalls::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let connection = connection(&format!("http://{}/mcp", listener.local_addr().unwrap()));
    tokio::spawn(serve_with_hold(listener, hold_calls(&arrived), answers));
    connection.tools().await.unwrap();
    arrived.send_replace(Vec::new());
    current.fetch_add(1, Ordering::SeqCst);
    let call = |tool| crate::mcp_connection::support::call(&connection, tool, false);
    let (first, second, kept) = tokio::join!(call("first"), call("second"), call("kept"));
    let texts = [first, second, kept].map(|called| text(&called.unwrap()));
    assert_eq!(texts, ["s1", "s1", "kept"]);
    let came = arrived
        .borrow()
        .iter()
        .filter(|name| *name == "kept")
        .count();
    assert_eq!(came, 1, "a call that was answered is made once");
    assert_eq!(connection.status().restarts, 1);
}

async fn unauthorized() {
    for challenge in ["", "www-authenticate: Bearer realm=\"x\"\r\n"] {
        let connection = start(move |_| raw_response("401 Unauthorized", challenge, "")).await;
        let error = error_text(connection.connect().await);
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"the MCP server `web` asks for a login: log in with `mcp login` and its name, or set a token in its headers");
        }
    }
}

async fn redirect() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let there = format!("location: http://{}/mcp\r\n", other.local_addr().unwrap());
    let connection = start(move |_| raw_response("307 Temporary Redirect", &there, "")).await;
    let error = error_text(connection.connect().await);
    assert!(
        error.contains("it redirects to another place, `http://127.0.0.1:"),
        "{error}"
    );
    let asked = tokio::time::timeout(std::time::Duration::from_millis(200), other.accept()).await;
    assert!(asked.is_err(), "the other place was asked");
}

async fn too_large() {
    let connection = start(modern(|asked| {
        json_response(asked, &text_result(&"a".repeat(17 << 20)), "")
    }))
    .await;
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `web` stopped while it worked on `a`: it sent an answer of more than 16 MiB; whether it took effect is not known");
    let connection = start(modern(|asked| {
        let result = text_result(&"a".repeat(17 << 20));
        let result = json!({ "jsonrpc": "2.0", "id": asked.message["id"], "result": result });
        events(&[result.to_string()])
    }))
    .await;
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(error_text(called.await), @"the MCP server `web` stopped while it worked on `a`: it sent a message of more than 16 MiB; whether it took effect is not known");
}

async fn no_json() {
    let connection = start(modern(|_| {
        events(&[r#"{"jsonrpc":"2.0","id":"#.to_owned()])
    }))
    .await;
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    insta::assert_snapshot!(error_text(called.await), @r#"the MCP server `web` refused `a`: the answer is no JSON: {"jsonrpc":"2.0","id": (code -32603)"#);
    let kind = "content-type: application/json\r\n";
    let connection = start(modern(move |_| {
        raw_response("200 OK", kind, "{\"jsonrpc\"")
    }))
    .await;
    let called = crate::mcp_connection::support::call(&connection, "a", false);
    let error = error_text(called.await);
    assert!(error.contains("could not parse JSON response"), "{error}");
}

async fn web_page() {
    let kind = "content-type: text/html\r\n";
    let connection = start(move |_| raw_response("200 OK", kind, "<html>")).await;
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `web` cannot be understood: it answered with `text/html`, which is neither JSON nor events: see whether the address is that of its MCP endpoint");
    let connection = start(|_| raw_response("500 Internal Server Error", "", "")).await;
    insta::assert_snapshot!(error_text(connection.connect().await), @"the MCP server `web` cannot be understood: it answered HTTP 500");
}

async fn gone_and_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let connection = connection(&format!("http://me:hidden@{address}/mcp?key=hidden"));
    let error = error_text(connection.connect().await);
    assert!(
        error.starts_with(
            "the MCP server `web` cannot be reached: no server answers at http://127.0.0.1:"
        ),
        "{error}"
    );
    assert!(!error.contains("hidden"), "{error}");
    let Ok(listener) = TcpListener::bind(address).await else {
        return; // Somebody else took the port.
    };
    let server = tokio::spawn(serve(
        listener,
        modern(|asked| json_response(asked, &text_result("back"), "")),
    ));
    assert_eq!(call(&connection).await, "back");
    server.abort();
    let _ = server.await;
    let error = error_text(crate::mcp_connection::support::call(&connection, "a", true).await);
    assert!(error.contains("the MCP server `web`"), "{error}");
    let Ok(listener) = TcpListener::bind(address).await else {
        return;
    };
    tokio::spawn(serve(
        listener,
        modern(|asked| json_response(asked, &text_result("again"), "")),
    ));
    assert_eq!(call(&connection).await, "again");
    until(|| connection.status().restarts > 0).await;
}

async fn no_address() {
    insta::assert_snapshot!(error_text(connection("example.com/mcp").connect().await), @"the MCP server `web` is not set up right: `example.com/mcp` is not a valid URL: write an absolute URL, such as `https://example.com/mcp`");
}
