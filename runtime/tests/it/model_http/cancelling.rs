//! A stream that is dropped is a request that is cancelled, at once.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use helve_runtime::model::{Model as _, ModelError, ModelEvent};

use crate::model_http::server::{HI, Server, Step, ask, request};

/// How soon the other side has to notice.
const AT_ONCE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    let server = Server::streaming(&HI[..3], Step::Hold).await;
    let (model, request) = (server.model(), request());
    let mut events = model.reply(&request);
    while !matches!(events.next().await, Some(Ok(ModelEvent::TextDelta { .. }))) {}
    drop(events);
    let gone = tokio::time::timeout(AT_ONCE, server.gone.notified()).await;
    gone.expect("the connection closes at once");
}

#[tokio::test]
async fn dropping_a_stream_that_has_no_answer_yet_closes_its_connection() {
    let mut server = Server::start(vec![Step::Hold]).await;
    let (model, request) = (server.model(), request());
    let mut events = model.reply(&request);
    tokio::select! {
        _ = events.next() => panic!("no answer was sent"),
        _ = server.requests.recv() => {}
    }
    drop(events);
    let gone = tokio::time::timeout(AT_ONCE, server.gone.notified()).await;
    gone.expect("the connection closes at once");
}

#[tokio::test]
async fn a_stream_that_nobody_polls_sends_nothing() {
    let mut server = Server::start(vec![Step::Hold]).await;
    let (model, request) = (server.model(), request());
    drop(model.reply(&request));
    assert!(server.connections.recv().now_or_never().is_none());
}

#[tokio::test]
async fn a_provider_that_says_nothing_is_given_up() {
    let patience = Duration::from_millis(50);
    for events in [&[][..], &HI[..3]] {
        let server = match events {
            [] => Server::start(vec![Step::Hold]).await,
            events => Server::streaming(events, Step::Hold).await,
        };
        let model = crate::model_http::server::model(server.endpoint().idle_timeout(patience));
        let error = ask(&model).await.unwrap_err();
        assert!(error.is_transient(), "{error}");
        let ModelError::TimedOut { provider, waited } = error else {
            panic!("{error}");
        };
        assert_eq!((&*provider, waited), ("anthropic", patience));
        let gone = tokio::time::timeout(AT_ONCE, server.gone.notified()).await;
        gone.expect("the connection closes at once");
    }
}
