//! Models in a row.

use std::sync::Arc;
use std::time::Duration;

use helve_runtime::model::{
    ApiErrorKind, FallbackModel, Model, ModelError, ModelEvent, RetryPolicy, RetryingModel,
};
use helve_runtime::transcript::ReplySource;
use tokio::time::Instant;

use crate::models_choice::script::{Script, api, ask, limited, stop, text};

fn both(first: &Arc<Script>, second: &Arc<Script>) -> FallbackModel {
    let models: [Arc<dyn Model>; 2] = [first.clone(), second.clone()];
    FallbackModel::new(models)
}

fn scripts<const A: usize, const B: usize>(
    first: [Vec<Result<ModelEvent, ModelError>>; A],
    second: [Vec<Result<ModelEvent, ModelError>>; B],
) -> (Arc<Script>, Arc<Script>) {
    let first = Script::new(first).named("acme/one");
    let second = Script::new(second).named("other/two");
    (Arc::new(first), Arc::new(second))
}

#[tokio::test(start_paused = true)]
async fn the_next_model_answers_and_readers_are_told_who() {
    let source = ReplySource::new("openai.chat", "other", "two");
    let started = Ok(ModelEvent::ReplyStarted(source.clone()));
    let (first, second) = scripts(
        [vec![text("Hel"), api(ApiErrorKind::Authentication)]],
        [vec![started, text("Hello."), stop()]],
    );
    let outcome = ask(&both(&first, &second)).await;
    assert_eq!(outcome.text(), "Hello.");
    let retry = outcome.retries()[0];
    assert_eq!((retry.attempt, retry.wait_ms), (2, 0));
    assert_eq!(retry.fallback.as_deref(), Some("other/two"));
    assert!(retry.error.contains("does not accept the key"), "{retry:?}");
    let message = outcome.reply.unwrap().message;
    assert_eq!(message.source.as_deref(), Some(&source));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_failed_comes_last_for_a_minute() {
    let replies = || vec![text("Hello."), stop()];
    let (first, second) = scripts(
        [vec![api(ApiErrorKind::Quota)], replies(), replies()],
        [replies(), vec![api(ApiErrorKind::Quota)]],
    );
    let model = both(&first, &second);
    assert_eq!(ask(&model).await.retries().len(), 1);
    assert_eq!((first.asked(), second.asked()), (1, 1));
    // The second one is asked first now; as it fails, too, the first one gets its chance.
    let outcome = ask(&model).await;
    assert_eq!(outcome.retries()[0].fallback.as_deref(), Some("acme/one"));
    assert_eq!((first.asked(), second.asked()), (2, 2));
    // A reply of its own clears it at once.
    assert!(ask(&model).await.retries().is_empty());
    assert_eq!((first.asked(), second.asked()), (3, 2));

    let (first, second) = scripts(
        [vec![api(ApiErrorKind::Server)], replies()],
        [replies(), replies()],
    );
    let model = both(&first, &second);
    ask(&model).await;
    tokio::time::advance(Duration::from_secs(59)).await;
    ask(&model).await;
    assert_eq!((first.asked(), second.asked()), (1, 2));
    tokio::time::advance(Duration::from_secs(2)).await;
    ask(&model).await;
    assert_eq!((first.asked(), second.asked()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_wrong_goes_to_nobody_else() {
    for kind in [ApiErrorKind::InvalidRequest, ApiErrorKind::ContextTooLong] {
        let (first, second) = scripts([vec![api(kind)]], []);
        ask(&both(&first, &second)).await.error();
        assert_eq!(second.asked(), 0, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_model_is_asked_again_first_and_all_attempts_are_counted_through() {
    let broken = || vec![text("Hel"), Err(ModelError::UnexpectedEnd)];
    let (first, second) = scripts(
        [broken(), broken()],
        [broken(), vec![text("Hello."), stop()]],
    );
    let policy = RetryPolicy::new().attempts(2);
    let retrying = |script| Arc::new(RetryingModel::new(script).policy(policy)) as Arc<dyn Model>;
    let model = FallbackModel::new([retrying(first), retrying(second)]);
    let outcome = ask(&model).await;
    let told: Vec<_> = outcome
        .retries()
        .iter()
        .map(|retry| (retry.attempt, retry.fallback.as_deref()))
        .collect();
    assert_eq!(told, [(2, None), (3, Some("other/two")), (4, None)]);
    assert_eq!(outcome.text(), "Hello.");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_too_long_is_not_waited_for() {
    let (first, second) = scripts(
        [vec![limited(Duration::from_secs(3600))]],
        [vec![text("Hello."), stop()]],
    );
    let first: Arc<dyn Model> = Arc::new(RetryingModel::new(first));
    let began = Instant::now();
    assert_eq!(
        ask(&FallbackModel::new([first, second])).await.text(),
        "Hello."
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_the_last_error_goes_out() {
    let (first, second) = scripts(
        [vec![api(ApiErrorKind::NotFound)]],
        [vec![api(ApiErrorKind::Overloaded)]],
    );
    let outcome = ask(&both(&first, &second)).await;
    assert!(
        outcome.error().contains("is overloaded"),
        "{}",
        outcome.error()
    );
    let nobody = FallbackModel::new([]);
    assert!(
        ask(&nobody)
            .await
            .error()
            .contains("no model is configured")
    );
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_whole_stays_whatever_its_stream_does() {
    let (first, second) = scripts(
        [vec![text("All."), stop(), Err(ModelError::UnexpectedEnd)]],
        [],
    );
    assert_eq!(ask(&both(&first, &second)).await.text(), "All.");
    assert_eq!(second.asked(), 0);
}
