//! A web site of the test: it answers with what a function says, and remembers what it was asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// A request as the site sees it.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: BTreeMap<String, String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// What the site answers.
#[derive(Debug, Clone)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// A site on a port of the loopback interface; it ends with the runtime of its test.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) base: String,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl ReceivedRequest {
    /// Returns the values of a form.
    pub(crate) fn form(&self) -> BTreeMap<String, String> {
        pairs(&format!("http://form/?{}", self.body))
    }
}

impl RawResponse {
    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type".into(), "application/json".into())],
            body: value.to_string(),
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

impl Site {
    /// Starts a site; the function gets its own address, too.
    pub(crate) async fn start(
        answer: impl Fn(&str, &ReceivedRequest) -> RawResponse + Send + Sync + 'static,
    ) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", socket.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let site = Self {
            base: base.clone(),
            asked: asked.clone(),
        };
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                let (answer, asked, base) = (answer.clone(), asked.clone(), base.clone());
                tokio::spawn(async move {
                    let mut stream = stream;
                    if let Some(request) = read(&mut stream).await {
                        asked.lock().unwrap().push(request.clone());
                        write(&mut stream, &answer(&base, &request)).await;
                    }
                });
            }
        });
        site
    }

    /// Returns what was asked so far.
    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns methods and paths of what was asked so far, one a line.
    pub(crate) fn visits(&self) -> String {
        let visit = |asked: &ReceivedRequest| format!("{} {}\n", asked.method, asked.path);
        self.asked().iter().map(visit).collect()
    }

    /// Returns a text with the site's address, which changes from run to run, under a name.
    pub(crate) fn masked(&self, text: impl std::fmt::Display) -> String {
        text.to_string().replace(&self.base, "http://site")
    }
}

async fn read(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end;
        }
        let read = stream
            .read(&mut chunk)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    };
    let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect::<BTreeMap<_, _>>();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head + 4 + length {
        let read = stream
            .read(&mut chunk)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    }
    Some(ReceivedRequest {
        method,
        path: target.split('?').next()?.to_owned(),
        query: pairs(&format!("http://site{target}")),
        headers,
        body: String::from_utf8(bytes[head + 4..].to_vec()).ok()?,
    })
}

async fn write(stream: &mut TcpStream, answer: &RawResponse) {
    let mut head = format!(
        "HTTP/1.1 {} Answer\r\ncontent-length: {}\r\nconnection: close\r\n",
        answer.status,
        answer.body.len()
    );
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // A client that has read enough hangs up.
    let _ = stream
        .write_all(format!("{head}\r\n{}", answer.body).as_bytes())
        .await;
    let _ = stream.shutdown().await;
}

fn pairs(url: &str) -> BTreeMap<String, String> {
    let url = Url::parse(url).unwrap();
    url.query_pairs().into_owned().collect()
}
