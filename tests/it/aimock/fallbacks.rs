//! Failures that last, and another model.

use std::sync::Arc;
use std::time::Duration;

use helve::model::{FallbackModel, Model, RetryPolicy, RetryingModel};
use helve::transcript::Message;

use crate::aimock::TurnRun;
use crate::aimock::server::{Peer, Server};

/// Checks that the spare one answered, and returns what readers were told of the other.
fn told_of_the_first(turn: &TurnRun, api: impl std::fmt::Display) -> String {
    assert_eq!(turn.report.text(), "The spare one.", "{api}");
    let Some(Message::Assistant(reply)) = turn.report.messages.last() else {
        panic!("{api}: {:?}", turn.report.messages);
    };
    let source = reply.source.as_deref().expect("a source");
    assert_eq!(
        (&*source.provider, &*source.model),
        ("mock", "spare"),
        "{api}"
    );
    let retries = turn.retries();
    let last = retries.last().expect("a retry");
    assert_eq!(last.fallback.as_deref(), Some("mock/spare"), "{api}");
    last.error.clone()
}

#[tokio::test]
async fn the_second_model_answers_where_the_key_of_the_first_is_wrong() {
    let Some(server) = Server::start("wrong key").await else {
        return;
    };
    let ask = async |peer: Peer<'_>| {
        let model = peer.model("stranger/model", &["mock/spare"]);
        let turn = TurnRun::run(model, "Tell me who answers.").await;
        let error = told_of_the_first(&turn, peer.api);
        assert!(error.contains("does not accept the key (401"), "{error}");
        assert!(
            error.contains("check `key` under `[providers.stranger]`"),
            "{error}"
        );
        assert!(!error.contains("wrong-key"), "{error}");
        assert_eq!(turn.retries().len(), 1, "a wrong key is not tried again");
    };
    server.for_each(ask).await;
}

#[tokio::test]
async fn the_second_model_answers_where_the_first_keeps_failing() {
    let Some(server) = Server::start("server errors").await else {
        return;
    };
    let ask = async |peer: Peer<'_>| {
        let providers = peer.providers();
        let policy = RetryPolicy::new()
            .attempts(3)
            .initial_delay(Duration::from_millis(10));
        let models = ["mock/broken", "mock/spare"].map(|name| {
            let model = providers.model(&name.parse().unwrap()).unwrap();
            Arc::new(RetryingModel::new(model).policy(policy)) as Arc<dyn Model>
        });
        let turn = TurnRun::run(Arc::new(FallbackModel::new(models)), "Tell me who answers.").await;
        let error = told_of_the_first(&turn, peer.api);
        assert!(error.contains("out of order"), "{error}");
        let attempts: Vec<_> = turn.retries().iter().map(|retry| retry.attempt).collect();
        assert_eq!(attempts, [2, 3, 4], "{}", peer.api);
    };
    server.for_each(ask).await;
}
