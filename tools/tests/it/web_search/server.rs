//! A server that plays the engines, and what asks it.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use helve::capability::{GrantedSecrets, Grants, GuardedHttp};
use helve::network::HostRules;
use helve::tool::ToolContextBuilder;
use helve::{State, ToolContext};
use helve_tools::web_search::{SearchBaseUrls, WebSearchSettings};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

pub(super) const KEY: &str = "key-0123456789abcdef";

/// What the server answers: the status, further headers and the body.
pub(super) type Answer = (u16, &'static str, String);

/// Engines behind one address, told apart by the first part of the path.
pub(super) struct Engines {
    pub(super) base: String,
    pub(super) requests: Arc<Mutex<Vec<String>>>,
}

impl Engines {
    pub(super) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    let request = read_request(&mut stream).await;
                    let (status, headers, body) = answer(&request);
                    seen.lock().unwrap().push(request);
                    let length = body.len();
                    let head = format!(
                        "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
                    );
                    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
                });
            }
        });
        Self { base, requests }
    }

    /// Returns settings whose engines are all at this server.
    pub(super) fn settings(&self, provider: &str, fallback: &[&str]) -> WebSearchSettings {
        let at = |name: &str| Some(format!("{}/{name}", self.base));
        WebSearchSettings {
            provider: Some(provider.to_owned()),
            fallback: fallback.iter().map(|&name| name.to_owned()).collect(),
            base_url: SearchBaseUrls {
                tavily: at("tavily"),
                exa: at("exa"),
                brave: at("brave"),
                searxng: at("searxng"),
            },
            ..WebSearchSettings::default()
        }
    }

    /// Returns the requests in their order, without what differs from run to run.
    pub(super) fn asked(&self) -> String {
        let mut shown = String::new();
        for request in self.requests.lock().unwrap().iter() {
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            let is_own = |line: &&str| {
                ["host:", "content-length:", "user-agent:", "accept:"]
                    .iter()
                    .all(|name| !line.starts_with(name))
            };
            let lines: Vec<&str> = head.lines().filter(is_own).collect();
            let _ = writeln!(shown, "{}\n{body}", lines.join("\n"));
        }
        shown.replace(KEY, "KEY")
    }
}

async fn read_request(stream: &mut tokio::net::TcpStream) -> String {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return text;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return text,
            Ok(number) => read.extend_from_slice(&buffer[..number]),
        }
    }
}

pub(super) fn context(settings: WebSearchSettings) -> ToolContextBuilder {
    let mut state = State::new();
    state.insert(settings);
    context_of(state)
}

pub(super) fn context_of(state: State) -> ToolContextBuilder {
    let http = GuardedHttp::new(&HostRules::from_allowed(["127.0.0.1:*"])).unwrap();
    let secrets = GrantedSecrets::new()
        .with_value("TAVILY_API_KEY", KEY)
        .with_value("EXA_API_KEY", KEY)
        .with_value("BRAVE_API_KEY", KEY);
    ToolContext::builder().app(Arc::new(state)).grants(Grants {
        http: Some(Arc::new(http)),
        secrets: Some(Arc::new(secrets)),
        ..Grants::default()
    })
}

pub(super) async fn search(cx: &ToolContext, arguments: Value) -> (String, Value) {
    let tools = helve_tools::web_search();
    match tools.call("web_search", &arguments.to_string(), cx).await {
        Err(error) => (format!("{}: {error}", error.kind()), Value::Null),
        Ok(output) => {
            let data = output.structured_content().unwrap_or("null");
            (
                output.text().into_owned(),
                serde_json::from_str(data).unwrap(),
            )
        }
    }
}

pub(super) fn play(request: &str) -> Answer {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let answer = match path.split('/').nth(1) {
        Some("tavily") => json!({
            "query": "q", "answer": null, "images": [], "response_time": 1.2,
            "results": [
                { "title": "Tokio <b>tutorial</b>", "url": "https://tokio.rs/tokio/tutorial?utm_source=t", "content": "A &quot;runtime&quot;\nfor Rust", "score": 0.97, "raw_content": null },
                { "title": "The same", "url": "https://www.tokio.rs/tokio/tutorial/#top", "content": "again", "score": 0.5 },
                { "title": "Script", "url": "javascript:alert(1)", "content": "x", "score": 0.4 }
            ],
            "usage": { "credits": 1 }
        }),
        Some("exa") => json!({
            "requestId": "r", "resolvedSearchType": "neural",
            "results": [{ "id": "1", "title": null, "url": "https://docs.example.com/tokio", "publishedDate": "2026-03-01T00:00:00.000Z", "author": "", "score": 0.2, "highlights": ["first part", "second part"] }],
            "costDollars": { "total": 0.005, "search": { "neural": 0.005 } }
        }),
        Some("brave") => json!({
            "type": "search", "query": { "original": "q", "more_results_available": true },
            "web": { "type": "search", "results": [{ "title": "Async in <strong>Rust</strong>", "url": "https://rust-lang.github.io/async-book/", "description": "The <strong>async</strong> book &amp; more", "page_age": "2026-01-02T00:00:00", "age": "2 weeks ago" }] }
        }),
        Some("searxng") => json!({
            "query": "q", "answers": [], "suggestions": ["a"],
            "results": [
                { "title": "", "url": null, "content": "a key and a value", "engine": "wikidata", "publishedDate": null },
                { "title": "Tokio", "url": "https://tokio.rs/", "content": "An asynchronous Rust runtime", "engine": "duckduckgo", "engines": ["duckduckgo"], "score": 1.0, "publishedDate": null }
            ],
            "unresponsive_engines": [["brave", "timeout"]]
        }),
        _ => return (404, "", "{}".to_owned()),
    };
    (
        200,
        "content-type: application/json\r\n",
        answer.to_string(),
    )
}
