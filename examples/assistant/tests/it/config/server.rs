//! A server on this machine, which answers what a test has it answer and keeps what it was asked: a provider of models, mostly.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server on a port of the loopback interface.
pub(crate) struct TestServer {
    port: u16,
    heard: Arc<Mutex<Vec<TestRequest>>>,
}

/// What was asked.
#[derive(Clone)]
pub(crate) struct TestRequest {
    head: String,
    body: Vec<u8>,
}

/// What is answered.
#[derive(Clone)]
pub(crate) struct TestResponse {
    head: String,
    body: String,
}

impl TestRequest {
    /// Returns the method, and the address below the server's.
    pub(crate) fn request_line(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        let mut word = || words.next().unwrap_or_default();
        (word(), word())
    }

    /// Returns a header; an empty text where it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let headers = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut named = headers.filter(|(own, _)| own.eq_ignore_ascii_case(name));
        named.next().map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

impl TestResponse {
    pub(crate) fn new(status: &str, kind: &str, body: impl Into<String>) -> Self {
        Self {
            head: format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n"),
            body: body.into(),
        }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::new("200 OK", "application/json", value.to_string())
    }

    pub(crate) fn with(mut self, header: &str, value: &str) -> Self {
        self.head.push_str(&format!("{header}: {value}\r\n"));
        self
    }

    fn write(&self, mut stream: &TcpStream) {
        let (head, length, body) = (&self.head, self.body.len(), &self.body);
        let text = format!("{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        // A client that has gone away needs no answer.
        let _ = stream.write_all(text.as_bytes());
    }
}

impl TestServer {
    /// Starts one that answers as a function says, and leaves open what that has no answer for.
    pub(crate) fn start(
        mut answer: impl FnMut(&TestRequest) -> Option<TestResponse> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        // It ends with the test's process.
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming().flatten() {
                let Some(request) = read_request(&stream) else {
                    continue;
                };
                // Who has an answer may look at once for what was heard.
                hears.lock().expect("nobody panics").push(request.clone());
                match answer(&request) {
                    Some(answer) => answer.write(&stream),
                    None => open.push(stream),
                }
            }
        });
        Self { port, heard }
    }

    /// Starts one that answers every request with this status and these words.
    pub(crate) fn with_response(
        status: &'static str,
        kind: &'static str,
        body: &'static str,
    ) -> Self {
        Self::start(move |_| Some(TestResponse::new(status, kind, body)))
    }

    /// Starts a model that gives these replies, one after the other, and then none.
    pub(crate) fn with_replies(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let mut replies: std::collections::VecDeque<ModelReply> = replies.into_iter().collect();
        Self::start(move |_| {
            Some(match replies.pop_front() {
                Some(ModelReply(answer)) => answer,
                None => {
                    TestResponse::new("400 Bad Request", "text/plain", "there is no reply left")
                }
            })
        })
    }

    /// Starts one that hears, and never answers.
    pub(crate) fn silent() -> Self {
        Self::start(|_| None)
    }

    /// Waits until it has heard something.
    pub(crate) fn wait_for_a_request(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.request_lines().is_empty() {
            assert!(Instant::now() < deadline, "nobody asks the server");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts one that says a word, as OpenAI Chat Completions stream it.
    pub(crate) fn replying_done() -> Self {
        let ModelReply(answer) = ModelReply::message("Done.");
        Self::start(move |_| Some(answer.clone()))
    }

    /// Starts one that refuses in the words of most providers.
    pub(crate) fn failing(status: &'static str, body: &'static str) -> Self {
        Self::with_response(status, "application/json", body)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Takes the port, which differs from run to run, out of a text.
    pub(crate) fn redact_url(&self, seen: &str) -> String {
        seen.replace(&self.port.to_string(), "PORT")
    }

    /// Returns the heads of the requests.
    pub(crate) fn request_lines(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("nobody panics");
        heard.iter().map(|request| request.head.clone()).collect()
    }

    /// Returns the requests.
    pub(crate) fn requests(&self) -> Vec<TestRequest> {
        self.heard.lock().expect("nobody panics").clone()
    }

    /// Returns what the first request says, as JSON.
    pub(crate) fn first_body(&self) -> Value {
        self.requests().first().expect("somebody asked").json()
    }
}

/// Reads a request.
fn read_request(stream: &TcpStream) -> Option<TestRequest> {
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
    Some(TestRequest { head, body })
}

/// What a model says, as OpenAI Chat Completions stream it.
pub(crate) struct ModelReply(TestResponse);

impl ModelReply {
    /// Says a text, and ends.
    pub(crate) fn message(text: &str) -> Self {
        Self::from_delta(&json!({ "role": "assistant", "content": text }), "stop")
    }

    /// Calls a tool.
    pub(crate) fn tool_call(tool: &str, arguments: &Value) -> Self {
        let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": {
            "name": tool,
            "arguments": arguments.to_string(),
        } });
        Self::from_delta(
            &json!({ "role": "assistant", "tool_calls": [call] }),
            "tool_calls",
        )
    }

    /// Fails, and says why.
    pub(crate) fn error(status: &str, why: &str) -> Self {
        Self(TestResponse::new(status, "text/plain", why))
    }

    fn from_delta(delta: &Value, reason: &str) -> Self {
        let chunk = |delta: &Value, reason: Option<&str>| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
            json!({ "id": "1", "model": "m", "choices": [choice] })
        };
        let said = chunk(delta, None);
        let mut end = chunk(&json!({}), Some(reason));
        end["usage"] = json!({ "prompt_tokens": 1_000_000, "completion_tokens": 2_000, "total_tokens": 1_002_000 });
        let text = format!("data: {said}\n\ndata: {end}\n\ndata: [DONE]\n\n");
        Self(TestResponse::new("200 OK", "text/event-stream", text))
    }
}
