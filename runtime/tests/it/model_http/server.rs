//! A server of hand-written answers, one connection after the other.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use helve_runtime::model::{
    AnthropicModel, Endpoint, Model as _, ModelError, ModelEvent, ModelName, ModelRequest,
};
use helve_runtime::transcript::Message;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long anything may take that should come at once.
pub(crate) const SOON: Duration = Duration::from_secs(10);

/// What the server does after it has read a request.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends this.
    Send(Vec<u8>),
    /// Says nothing more, until the client is gone.
    Hold,
}

/// A server that answers every request alike.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The requests, head and body.
    pub(crate) requests: UnboundedReceiver<String>,
    /// Told when a client that was held is gone.
    pub(crate) gone: Arc<Notify>,
    /// Told of every new connection.
    pub(crate) connections: UnboundedReceiver<()>,
}

impl Server {
    pub(crate) async fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests_in, requests) = unbounded_channel();
        let (connections_in, connections) = unbounded_channel();
        let gone = Arc::new(Notify::new());
        let telling = Arc::clone(&gone);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                connections_in.send(()).ok();
                let (steps, requests) = (steps.clone(), requests_in.clone());
                let gone = Arc::clone(&telling);
                tokio::spawn(serve(socket, steps, requests, gone));
            }
        });
        Self {
            url,
            requests,
            gone,
            connections,
        }
    }

    /// Starts one that answers with a status, headers and a body, whole.
    pub(crate) async fn answering(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        let text = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
        Self::start(vec![Step::Send(text.into())]).await
    }

    /// Starts one that sends these events, each as a chunk, and then does `last`.
    pub(crate) async fn streaming(events: &[&str], last: Step) -> Self {
        let mut steps = vec![Step::Send(STREAM.into())];
        steps.extend(events.iter().map(|event| Step::Send(chunk(event))));
        steps.push(last);
        Self::start(steps).await
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        let endpoint = Endpoint::new("anthropic", &self.url).unwrap();
        endpoint
            .secret_header("x-api-key", "sk-ant-secret")
            .unwrap()
    }

    pub(crate) fn model(&self) -> AnthropicModel {
        model(self.endpoint())
    }
}

pub(crate) fn model(endpoint: Endpoint) -> AnthropicModel {
    AnthropicModel::new(ModelName::new("anthropic", "claude-sonnet-4-6"), endpoint)
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest::new(vec![Message::user("Hello")])
}

/// Asks a model, and returns the events or the error that they end with.
pub(crate) async fn ask(model: &AnthropicModel) -> Result<Vec<ModelEvent>, ModelError> {
    let request = request();
    let events = model.reply(&request).try_collect();
    tokio::time::timeout(SOON, events).await.expect("an end")
}

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// The end of a chunked body.
pub(crate) fn end() -> Step {
    Step::Send(b"0\r\n\r\n".to_vec())
}

fn chunk(event: &str) -> Vec<u8> {
    let text = format!("data: {event}\n\n");
    format!("{:x}\r\n{text}\r\n", text.len()).into()
}

/// The events of a reply that says "Hi".
pub(crate) const HI: [&str; 6] = [
    r#"{"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-6-x","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
    r#"{"type":"message_stop"}"#,
];

async fn serve(
    mut socket: TcpStream,
    steps: Vec<Step>,
    requests: UnboundedSender<String>,
    gone: Arc<Notify>,
) {
    while let Some(request) = read_request(&mut socket).await {
        requests.send(request).ok();
        for step in &steps {
            match step {
                Step::Send(bytes) => {
                    if socket.write_all(bytes).await.is_err() {
                        return;
                    }
                }
                Step::Hold => {
                    let mut byte = [0];
                    while socket.read(&mut byte).await.is_ok_and(|read| read > 0) {}
                    gone.notify_one();
                    return;
                }
            }
        }
        // What has no length, or an end of its chunks, ends with the connection.
        let is_whole = steps.iter().any(|step| match step {
            Step::Send(bytes) => {
                bytes.ends_with(b"0\r\n\r\n")
                    || bytes.windows(15).any(|text| text == b"content-length:")
            }
            Step::Hold => false,
        });
        if !is_whole {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length?.parse().ok()? {
                return Some(text);
            }
        }
        if socket.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
}
