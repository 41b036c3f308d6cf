//! Over a connection to this machine: where a request goes, and that its reply streams.

use futures_util::StreamExt as _;
use helve_runtime::model::{
    Endpoint, Model, ModelEvent, ModelName, ModelRequest, OpenAiChatModel, OpenAiResponsesModel,
};
use helve_runtime::transcript::Message;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers one request with a stream, and returns the head of the request.
async fn answer(listener: TcpListener, body: &str) -> String {
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    while !read.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        assert_ne!(connection.read_buf(&mut read).await.unwrap(), 0);
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(body.as_bytes()).await.unwrap();
    connection.shutdown().await.unwrap();
    // What is left of the request is read, or closing would reset the connection.
    let mut rest = Vec::new();
    let _ = connection.read_to_end(&mut rest).await;
    String::from_utf8_lossy(&read).to_lowercase()
}

async fn talk<M: Model>(make: impl Fn(Endpoint) -> M, base: &str, body: &str) -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = Endpoint::new("local", &format!("http://{address}{base}"))
        .and_then(|endpoint| endpoint.secret_header("authorization", "Bearer sk-12345678"))
        .unwrap();
    let model = make(endpoint);
    let request = ModelRequest::new(vec![Message::user("Hi")]);
    let reading = async {
        let mut text = String::new();
        let mut events = model.reply(&request);
        while let Some(event) = events.next().await {
            if let ModelEvent::TextDelta { text: more } = event.unwrap() {
                text.push_str(&more);
            }
        }
        text
    };
    let (head, text) = tokio::join!(answer(listener, body), reading);
    (head, text)
}

const CHAT: &str = "data: {\"id\":\"r\",\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

const RESPONSE: &str = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hello\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\"}}\n\n";

#[tokio::test]
async fn chat_completions_are_found_below_the_base() {
    let name = || ModelName::new("local", "m");
    let make = |endpoint| OpenAiChatModel::new(name(), endpoint);
    for base in ["", "/", "/v1", "/v1/"] {
        let (head, text) = talk(make, base, CHAT).await;
        assert!(
            head.starts_with("post /v1/chat/completions http/1.1"),
            "{head}"
        );
        assert!(head.contains("authorization: bearer sk-12345678"), "{head}");
        assert_eq!(text, "Hello");
    }
    let (head, _) = talk(make, "/api/coding", CHAT).await;
    assert!(
        head.starts_with("post /api/coding/chat/completions "),
        "{head}"
    );
}

#[tokio::test]
async fn responses_are_found_below_the_base() {
    let make = |endpoint| OpenAiResponsesModel::new(ModelName::new("local", "m"), endpoint);
    for base in ["", "/v1"] {
        let (head, text) = talk(make, base, RESPONSE).await;
        assert!(head.starts_with("post /v1/responses http/1.1"), "{head}");
        assert_eq!(text, "Hello");
    }
}
