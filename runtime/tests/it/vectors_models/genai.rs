//! Gemini and Ollama's own protocol, through genai: its decoders have no way in but HTTP, so a server on this machine
//! sends what was recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use helve_runtime::model::{
    Api, Assembler, Endpoint, GenaiModel, Model as _, ModelError, ModelName, ModelRequest, Reply,
    ResponseHead, StopReason,
};
use helve_runtime::transcript::Message;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::vectors_models::cuts::{self, SeededRng};
use crate::vectors_models::reading::DecodedReply;
use crate::vectors_models::recorded::{self, CUTS, Recorded, SPOILT};

/// A model, and the server that it talks to.
struct Loopback {
    listener: TcpListener,
    model: GenaiModel,
}

impl Loopback {
    async fn new(api: Api, streams: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let endpoint = Endpoint::new("recorded", &base).unwrap();
        let endpoint = endpoint.secret_header("x-goog-api-key", "secret").unwrap();
        let model = GenaiModel::new(ModelName::new("recorded", "model"), api, endpoint).unwrap();
        let model = match streams {
            true => model,
            false => model.without_streaming(),
        };
        Self { listener, model }
    }

    /// Reads a response that is in these pieces.
    async fn read(
        &self,
        head: ResponseHead,
        kind: &str,
        pieces: Vec<Vec<u8>>,
    ) -> Result<Reply, ModelError> {
        let serve = async {
            let (stream, _) = self.listener.accept().await.unwrap();
            // A client that has read enough hangs up.
            let _ = answer(stream, head.status(), kind, pieces).await;
        };
        tokio::join!(ask(&self.model), serve).0
    }
}

async fn ask(model: &GenaiModel) -> Result<Reply, ModelError> {
    let request = ModelRequest::new(vec![Message::user("Hello")]);
    let mut events = model.reply(&request);
    let mut assembler = Assembler::new();
    while let Some(event) = events.next().await {
        assembler.push(event?)?;
    }
    assembler.finish()
}

async fn answer(
    mut stream: TcpStream,
    status: u16,
    kind: &str,
    pieces: Vec<Vec<u8>>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::new();
    while !is_whole(&request) {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).await?;
        assert!(length > 0, "a request that breaks off");
        request.extend_from_slice(&piece[..length]);
    }
    let head = format!(
        "HTTP/1.1 {status} Recorded\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk).await?;
        // The client reads what is there before there is more.
        tokio::task::yield_now().await;
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.shutdown().await
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .to_ascii_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length:").map(str::to_owned));
    length.is_none_or(|length| body.len() >= length.trim().parse().unwrap())
}

/// Says what was read in the words of the index.
fn found(api: Api, reply: &Reply, expected: &Value) -> DecodedReply {
    let mut found = DecodedReply::of(reply);
    let gemini = api == Api::Gemini;
    found.stop_reason = match reply.stop {
        StopReason::EndTurn | StopReason::ToolUse if gemini => "STOP",
        StopReason::MaxTokens if gemini => "MAX_TOKENS",
        StopReason::EndTurn | StopReason::ToolUse => "stop",
        StopReason::MaxTokens => "length",
        _ => "another",
    };
    // The index counts the output without the reasoning, and proofs wherever they are.
    *found.usage.get_mut("output").unwrap() -= found.usage["reasoning"];
    let calls = reply.message.calls();
    let proofs = calls.filter(|call| call.signature.is_some()).count();
    found.signatures += u64::try_from(proofs).unwrap();
    // Where the provider gives calls no ids, genai makes some up.
    for (call, expected) in found
        .tool_calls
        .iter_mut()
        .zip(expected["tool_calls"].as_array().into_iter().flatten())
    {
        if expected["id"].is_null() {
            call["id"] = Value::Null;
        }
    }
    found
}

async fn outcome_of_all_cuts(
    api: Api,
    server: &Loopback,
    recorded: &Recorded,
) -> Result<DecodedReply, ModelError> {
    let body = &recorded.body;
    let read = async |pieces| {
        let kind = &recorded.content_type;
        let reply = server.read(recorded.head(), kind, pieces).await?;
        Ok(found(api, &reply, &recorded.expected))
    };
    let whole = read(vec![body.clone()]).await;
    let mut numbers = SeededRng::of(&recorded.file);
    let cut = (0..CUTS).map(|_| cuts::cut(body, &mut numbers));
    for (number, pieces) in cut.chain([cuts::bytes(body)]).enumerate() {
        let found: Result<_, ModelError> = read(pieces).await;
        let (found, expected) = (format!("{found:?}"), format!("{whole:?}"));
        assert_eq!(found, expected, "{}, cut {number}", recorded.file);
    }
    whole
}

/// Reads beginnings and spoilt copies. What comes out may be anything but a panic.
async fn spoil(server: &Arc<Loopback>, recorded: &Recorded) {
    let mut numbers = SeededRng::of(&recorded.file);
    for number in 0..SPOILT {
        let end = numbers.below(recorded.body.len() + 1);
        let beginning = recorded.body[..end].to_vec();
        let spoilt = cuts::mutate(&recorded.body, &mut numbers);
        for body in [beginning, spoilt] {
            let pieces = cuts::cut(&body, &mut numbers);
            let (server, head) = (server.clone(), recorded.head());
            let kind = recorded.content_type.clone();
            let reading = async move { server.read(head, &kind, pieces).await.is_ok() };
            let outcome = tokio::spawn(reading).await;
            assert!(outcome.is_ok(), "{} panics, copy {number}", recorded.file);
        }
    }
}

async fn check(api: Api, name: &str, listed: &[(&str, &str)]) {
    let Some(recorded) = recorded::of(name) else {
        return;
    };
    let mut differences = BTreeMap::new();
    for recorded in &recorded {
        let streams = !recorded.content_type.starts_with("application/json");
        let server = Arc::new(Loopback::new(api, streams).await);
        let outcome = outcome_of_all_cuts(api, &server, recorded).await;
        if let Err(difference) = recorded::compare(recorded, outcome) {
            differences.insert(recorded.file.as_str(), difference);
        }
        spoil(&server, recorded).await;
    }
    recorded::report(name, recorded.len(), &differences, listed);
}

#[tokio::test]
async fn every_recorded_response_of_gemini_is_read_right_or_listed() {
    let listed = [
        (
            "gemini-google_generate_content-7c0806a1cb.sse",
            "genai ends the reply at the first piece that gives a reason to end, and Gemini gives one after each step of \
             its own tools, which helve does not switch on",
        ),
        (
            "gemini-google_generate_content-e08b3784e5.sse",
            "genai passes on nothing of Gemini's own tools, which helve does not switch on",
        ),
    ];
    check(Api::Gemini, "google.generate_content", &listed).await;
}

#[tokio::test]
async fn every_recorded_response_of_ollama_is_read_right_or_listed() {
    check(Api::Ollama, "ollama.chat", &[]).await;
}
