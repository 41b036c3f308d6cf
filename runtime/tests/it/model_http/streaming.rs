//! Replies that come as they should, or nearly.

use futures_util::StreamExt as _;
use helve_runtime::model::{Model as _, ModelEvent, StopReason};
use helve_runtime::transcript::{ReplySource, Usage};

use crate::model_http::server::{HI, Server, Step, ask, end, request};

fn hi() -> Vec<ModelEvent> {
    let source = ReplySource::new("anthropic.messages", "anthropic", "claude-sonnet-4-6-x");
    vec![
        ModelEvent::ReplyStarted(source.with_id("msg_1".to_owned())),
        ModelEvent::Usage(Usage::new(9, 1)),
        ModelEvent::TextDelta { text: "Hi".into() },
        ModelEvent::Usage(Usage::new(9, 3)),
        ModelEvent::Stop {
            reason: StopReason::EndTurn,
        },
    ]
}

#[tokio::test]
async fn a_request_carries_the_key_and_the_versions_and_the_reply_streams() {
    let mut server = Server::streaming(&HI, end()).await;
    assert_eq!(ask(&server.model()).await.unwrap(), hi());
    let sent = server.requests.recv().await.unwrap();
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    for header in [
        "x-api-key: sk-ant-secret",
        "anthropic-version: 2023-06-01",
        "content-type: application/json",
        "user-agent: helve/",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert!(
        body.starts_with(r#"{"model":"claude-sonnet-4-6""#),
        "{body}"
    );
}

#[tokio::test]
async fn a_base_url_may_hold_the_version() {
    let mut server = Server::streaming(&HI, end()).await;
    let url = format!("{}/v1/", server.url);
    let endpoint = helve_runtime::model::Endpoint::new("gateway", &url).unwrap();
    ask(&crate::model_http::server::model(endpoint))
        .await
        .unwrap();
    let sent = server.requests.recv().await.unwrap();
    assert!(sent.starts_with("POST /v1/messages HTTP/1.1"), "{sent}");
}

#[tokio::test]
async fn a_connection_serves_one_reply_after_the_other() {
    let mut server = Server::streaming(&HI, end()).await;
    let model = server.model();
    for _ in 0..3 {
        assert_eq!(ask(&model).await.unwrap(), hi());
    }
    server.connections.recv().await.unwrap();
    assert!(
        server.connections.try_recv().is_err(),
        "a second connection"
    );
}

#[tokio::test]
async fn a_reply_is_over_when_it_says_so_even_if_its_connection_stays_open() {
    let server = Server::streaming(&HI, Step::Hold).await;
    assert_eq!(ask(&server.model()).await.unwrap(), hi());
    server.gone.notified().await;
}

#[tokio::test]
async fn events_come_as_they_are_sent() {
    let server = Server::streaming(&HI[..3], Step::Hold).await;
    let (model, request) = (server.model(), request());
    let events: Vec<_> = model.reply(&request).take(3).collect().await;
    let events: Vec<_> = events.into_iter().map(Result::unwrap).collect();
    assert_eq!(events, hi()[..3]);
}

#[tokio::test]
async fn plain_json_in_place_of_a_stream_will_do() {
    let body = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-6-x","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":3}}"#;
    let server = Server::answering("200 OK", "content-type: application/json\r\n", body).await;
    let mut expected = hi();
    expected.remove(1);
    assert_eq!(ask(&server.model()).await.unwrap(), expected);
}
