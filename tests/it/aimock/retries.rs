//! Failures that pass.

use std::time::{Duration, Instant};

use crate::aimock::TurnRun;
use crate::aimock::server::{Peer, Server};

#[tokio::test]
async fn a_provider_that_says_how_long_is_asked_again_after_that_wait() {
    let Some(server) = Server::start("retry-after").await else {
        return;
    };
    let ask = async |peer: Peer<'_>| {
        let (api, began) = (peer.api, Instant::now());
        let turn = TurnRun::run(peer.model("mock/model", &[]), "Am I asking too often?").await;
        let took = began.elapsed();
        assert_eq!(turn.report.text(), "Here you are.", "{api}");
        assert!(took >= Duration::from_secs(1), "{api}: {took:?}");
        let retries = turn.retries();
        assert_eq!(retries.len(), 1, "{api}: {retries:?}");
        let retry = &retries[0];
        assert_eq!(
            (retry.attempt, retry.wait_ms),
            (2, 1000),
            "{api}: {retry:?}"
        );
        assert!(retry.error.contains("slow down"), "{api}: {retry:?}");
    };
    server.for_each(ask).await;
}

#[tokio::test]
async fn a_reply_that_is_cut_off_is_asked_for_again_and_its_text_is_there_once() {
    let Some(server) = Server::start("disconnect").await else {
        return;
    };
    let ask = async |peer: Peer<'_>| {
        let api = peer.api;
        let turn = TurnRun::run(peer.model("mock/model", &[]), "Tell me a long story.").await;
        let story = "Once upon a time there was a wire, and nobody ever cut it.";
        assert_eq!(turn.report.text(), story, "{api}");
        let (before, after) = turn.streamed();
        assert!(
            !before.is_empty() && story.starts_with(&before),
            "{api}: {before:?}"
        );
        assert_eq!(after, story, "{api}");
        let retries = turn.retries();
        assert_eq!(retries.len(), 1, "{api}: {retries:?}");
        assert_eq!(turn.report.messages.len(), 2, "{api}");
    };
    server.for_each(ask).await;
}

#[tokio::test]
async fn a_call_that_is_cut_off_never_runs_and_the_one_that_comes_instead_runs_once() {
    let Some(server) = Server::start("disconnect in a call").await else {
        return;
    };
    let ask = async |peer: Peer<'_>| {
        let api = peer.api;
        let turn = TurnRun::run(peer.model("mock/model", &[]), "Make a call that is cut.").await;
        assert_eq!(turn.report.text(), "Five.", "{api}: {:?}", turn.report);
        assert_eq!((turn.ran, turn.retries().len()), (1, 1), "{api}");
    };
    server.for_each(ask).await;
}
