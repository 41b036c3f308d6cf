//! Answers that are no replies: what the caller is told.

use std::time::Duration;

use helve_runtime::model::{ApiError, ApiErrorKind, Endpoint, ModelError};
use insta::assert_snapshot;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::model_http::server::{HI, Server, Step, ask, model};

async fn answer(status: &str, headers: &str, body: &str) -> ApiError {
    let server = Server::answering(status, headers, body).await;
    api_error(ask(&model(server.endpoint().key_source("ANTHROPIC_API_KEY"))).await)
}

fn api_error<T: std::fmt::Debug>(outcome: Result<T, ModelError>) -> ApiError {
    match outcome.unwrap_err() {
        ModelError::Api(error) => *error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    let headers = "retry-after: 7\r\nrequest-id: req_1\r\n";
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}"#;
    let error = answer("429 Too Many Requests", headers, body).await;
    assert_eq!(error.kind, ApiErrorKind::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
    assert_eq!(error.request_id.as_deref(), Some("req_1"));
    assert!(ModelError::from(error.clone()).is_transient());
    assert_snapshot!(error, @"anthropic is rate limiting requests (429, rate_limit_error): Slow down.");
}

#[tokio::test]
async fn a_wrong_key_is_named_by_its_source_and_never_shown() {
    let body = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key sk-ant-secret"}}"#;
    let error = answer("401 Unauthorized", "", body).await;
    assert_eq!(error.kind, ApiErrorKind::Authentication);
    assert_snapshot!(error, @"anthropic does not accept the key (401, authentication_error): invalid x-api-key …; check ANTHROPIC_API_KEY");
}

#[tokio::test]
async fn a_key_is_shown_nowhere_wherever_a_provider_repeats_it() {
    let said =
        r#"{"error":{"type":"sk-ant-secret","code":"a-sk-ant-secret","message":"sk-ant-secret"}}"#;
    let error = answer("418 Teapot", "request-id: r-sk-ant-secret\r\n", said).await;
    assert!(!format!("{error:?}").contains("sk-ant"), "{error:?}");
    // A message that is cut in the middle of the key.
    for before in 980..1_000 {
        let body = format!("{}sk-ant-secret", "x".repeat(before));
        let error = answer("400 Bad Request", "", &body).await;
        assert!(!error.message.contains("sk-ant"), "{error:?}");
    }
}

#[tokio::test]
async fn an_encoding_that_nobody_asked_for_is_said() {
    let gzip = "content-encoding: gzip\r\n";
    let error = answer("200 OK", gzip, "\u{1f}\u{8b}").await;
    assert!(!ModelError::from(error.clone()).is_transient());
    let text = error.to_string();
    assert!(
        text.contains("the unexpected content encoding `gzip`"),
        "{text}"
    );
    let error = answer("401 Unauthorized", gzip, "\u{1f}\u{8b}").await;
    assert_eq!(error.kind, ApiErrorKind::Authentication);
    assert_eq!(error.message, "it does not say why");
}

#[tokio::test]
async fn signs_of_life_alone_are_waited_for_long_and_not_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket
            .read_buf(&mut Vec::with_capacity(65_536))
            .await
            .unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut often = tokio::time::interval(Duration::from_millis(10));
        while socket.write_all(b": here\n\n").await.is_ok() {
            often.tick().await;
        }
    });
    let endpoint = Endpoint::new("anthropic", &url).unwrap();
    let idle = Duration::from_millis(100);
    let error = ask(&model(endpoint.idle_timeout(idle))).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn a_model_that_is_not_known_is_said() {
    let body =
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-sonnet-9"}}"#;
    let server = Server::answering("404 Not Found", "", body).await;
    let error = api_error(ask(&server.model()).await).to_string();
    let host = server.url.strip_prefix("http://").unwrap();
    assert_snapshot!(error.replace(host, "HOST"), @"anthropic does not have the requested model or path (404, not_found_error): model: claude-sonnet-9; check the model's name and the base URL (HOST)");
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_told_from_a_wrong_request() {
    let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
    let error = answer("400 Bad Request", "", long).await;
    assert_eq!(error.kind, ApiErrorKind::ContextTooLong);
    let wrong = r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too large"}}"#;
    let error = answer("400 Bad Request", "", wrong).await;
    assert_eq!(error.kind, ApiErrorKind::InvalidRequest);
    let broke = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#;
    let error = answer("400 Bad Request", "", broke).await;
    assert_eq!(error.kind, ApiErrorKind::Quota);
}

#[tokio::test]
async fn web_pages_and_nothing_at_all_are_errors_too() {
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let error = answer("502 Bad Gateway", "content-type: text/html\r\n", page).await;
    assert_eq!(error.kind, ApiErrorKind::Server);
    assert_snapshot!(error, @"anthropic failed (502): an HTML page titled `502 Bad Gateway`");
    let error = answer("529 Overloaded", "", "").await;
    assert_eq!(error.kind, ApiErrorKind::Overloaded);
    assert_snapshot!(error, @"anthropic is overloaded (529): it does not say why");
    let error = answer(
        "307 Temporary Redirect",
        "location: https://elsewhere.example/\r\n",
        "",
    )
    .await;
    assert_eq!(error.kind, ApiErrorKind::Other);
    assert_snapshot!(error, @"anthropic answered with an error (307): it redirects to https://elsewhere.example/; set the base URL to the provider's own address");
    let server = Server::answering("200 OK", "content-type: text/html\r\n", page).await;
    let error = api_error(ask(&server.model()).await).to_string();
    let host = server.url.strip_prefix("http://").unwrap();
    assert_snapshot!(error.replace(host, "HOST"), @"anthropic answered with an error (200): received an HTML page instead of a reply; check the base URL (HOST)");
}

#[tokio::test]
async fn a_long_error_is_cut() {
    let error = answer("500 Internal Server Error", "", &"x".repeat(1 << 20)).await;
    assert_eq!(error.message.chars().count(), 1_001);
}

#[tokio::test]
async fn an_error_in_mid_stream_comes_after_what_was_said() {
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = Server::streaming(&[HI[0], HI[1], HI[2], overloaded], Step::Hold).await;
    let error = api_error(ask(&server.model()).await);
    assert_eq!((error.kind, error.status), (ApiErrorKind::Overloaded, None));
    assert_snapshot!(error, @"anthropic is overloaded: Overloaded");
}

#[tokio::test]
async fn a_stream_that_ends_early_is_told_from_a_connection_that_breaks() {
    let early = Server::streaming(&HI[..4], crate::model_http::server::end()).await;
    let error = ask(&early.model()).await.unwrap_err();
    assert!(
        matches!(error, ModelError::UnexpectedEnd) && error.is_transient(),
        "{error:?}"
    );

    let broken = Server::streaming(&HI[..4], Step::Send(b"40\r\ndata: {".to_vec())).await;
    let error = ask(&broken.model()).await.unwrap_err();
    assert!(
        matches!(error, ModelError::Network { .. }) && error.is_transient(),
        "{error:?}"
    );
    let host = broken.url.strip_prefix("http://").unwrap();
    assert_snapshot!(error.to_string().replace(host, "HOST"), @"anthropic could not be reached: the connection to HOST was lost during the reply (end of file before message length reached)");
}

#[tokio::test]
async fn a_server_that_does_not_run_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let endpoint = Endpoint::new("local", &format!("http://{host}/v1")).unwrap();
    let endpoint = endpoint
        .secret_header("x-api-key", "sk-ant-secret")
        .unwrap();
    let error = ask(&model(endpoint)).await.unwrap_err();
    assert!(
        error.is_transient() && !format!("{error:?}").contains("secret"),
        "{error:?}"
    );
    assert_snapshot!(error.to_string().replace(&host, "HOST"), @"local could not be reached: HOST refuses the connection; is the server running, and is that its port?");
}

#[tokio::test]
async fn nonsense_is_told_from_a_reply() {
    for events in [
        &["{"][..],
        &["[]"],
        &["7"],
        &[r#"{"type":"message_start"}"#],
        &[r#"{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"?"}}"#],
        &[r#"{"type":"content_block_stop","index":0}"#],
        &[HI[1], HI[1]],
        &[r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use"}}"#],
        &[r#"{"type":"content_block_start","index":-1,"content_block":{"type":"text"}}"#],
    ] {
        let server = Server::streaming(events, crate::model_http::server::end()).await;
        let error = ask(&server.model()).await.unwrap_err();
        assert!(
            matches!(error, ModelError::Malformed(_)),
            "{events:?}: {error:?}"
        );
    }
}
