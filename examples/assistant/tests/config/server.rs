//! A provider on this machine, which answers every request with the same words and counts them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A provider that answers every request in the same way.
pub(crate) struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<Request>>>,
}

/// What was asked.
struct Request {
    head: String,
    body: Vec<u8>,
}

impl Server {
    /// Starts one that answers with this status and these words.
    pub(crate) fn answering(status: &'static str, kind: &'static str, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        // It ends with the test's process.
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let Some(request) = hear(&stream) else {
                    continue;
                };
                if !status.is_empty() {
                    let _ = stream.write_all(answer(status, kind, body).as_bytes());
                } else {
                    open.push(stream);
                }
                hears.lock().expect("nobody panics").push(request);
            }
        });
        Self { port, heard }
    }

    /// Starts one that hears, and never answers.
    pub(crate) fn silent() -> Self {
        Self::answering("", "", "")
    }

    /// Waits until it has heard something.
    pub(crate) fn wait_for_a_request(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.heard().is_empty() {
            assert!(Instant::now() < deadline, "nobody asks the server");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts one that says a word, as OpenAI Chat Completions stream it.
    pub(crate) fn saying_done() -> Self {
        Self::answering(
            "200 OK",
            "text/event-stream",
            concat!(
                r#"data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":null}]}"#,
                "\n\n",
                r#"data: {"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000000,"completion_tokens":2000,"total_tokens":1002000}}"#,
                "\n\ndata: [DONE]\n\n",
            ),
        )
    }

    /// Starts one that refuses in the words of most providers.
    pub(crate) fn refusing(status: &'static str, body: &'static str) -> Self {
        Self::answering(status, "application/json", body)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Takes the port, which differs from run to run, out of a text.
    pub(crate) fn hidden_in(&self, seen: &str) -> String {
        seen.replace(&self.port.to_string(), "PORT")
    }

    /// Returns the heads of the requests.
    pub(crate) fn heard(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("nobody panics");
        heard.iter().map(|request| request.head.clone()).collect()
    }

    /// Returns what the first request says, as JSON.
    pub(crate) fn first_body(&self) -> serde_json::Value {
        let heard = self.heard.lock().expect("nobody panics");
        let first = heard.first().expect("somebody asked");
        serde_json::from_slice(&first.body).expect("JSON")
    }
}

/// Reads a request.
fn hear(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 || line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body })
}

fn answer(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
