//! Models that are asked once more.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use helve_runtime::model::{
    ApiErrorKind, Model as _, ModelError, ModelEvent, ModelRequest, RetryPolicy, RetryingModel,
};
use helve_runtime::transcript::Usage;
use tokio::time::Instant;

use crate::models_choice::script::{Script, api, ask, call, limited, stop, text};

const SECOND: Duration = Duration::from_secs(1);

fn patient() -> RetryPolicy {
    RetryPolicy::new().attempts(4).initial_delay(SECOND)
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_breaks_off_is_asked_for_again_and_the_text_is_there_once() {
    let script = Arc::new(Script::new([
        vec![text("Hel"), call("c1"), Err(ModelError::UnexpectedEnd)],
        // A stream that just ends is no different.
        vec![text("Hello, wo")],
        vec![text("Hello, "), text("world."), stop()],
    ]));
    let model = RetryingModel::new(script.clone()).policy(patient());
    let began = Instant::now();
    let outcome = ask(&model).await;
    assert_eq!(outcome.text(), "Hello, world.");
    let retries = outcome.retries();
    let attempts: Vec<_> = retries.iter().map(|retry| retry.attempt).collect();
    assert_eq!(attempts, [2, 3]);
    assert!(retries[0].error.contains("is incomplete"), "{retries:?}");
    // A second and up to one more, then two and up to two more.
    let told: u64 = retries.iter().map(|retry| retry.wait_ms).sum();
    assert_eq!(began.elapsed().as_millis(), u128::from(told));
    assert!((1000..=2000).contains(&retries[0].wait_ms), "{retries:?}");
    assert!((2000..=4000).contains(&retries[1].wait_ms), "{retries:?}");
    assert_eq!(script.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_says_how_long_is_left_alone_for_just_that_long() {
    let wait = Duration::from_millis(7300);
    let script = Script::new([vec![limited(wait)], vec![text("Here."), stop()]]);
    let began = Instant::now();
    let outcome = ask(&RetryingModel::new(script)).await;
    assert_eq!(outcome.text(), "Here.");
    assert_eq!(began.elapsed(), wait);
    assert_eq!(outcome.retries()[0].wait_ms, 7300);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_too_long_is_given_up_at_once_and_the_error_says_so() {
    let script = Script::new([vec![limited(Duration::from_secs(3600))]]);
    let began = Instant::now();
    let outcome = ask(&RetryingModel::new(script)).await;
    assert_eq!(
        outcome.error(),
        "acme is rate limiting requests: slow down; it requested a retry after 3600 s, more than the maximum of 60 s: try again later, or configure a fallback model"
    );
    assert!(
        outcome.reply.unwrap_err().is_transient(),
        "it is what it was"
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(outcome.events.is_empty());
}

#[tokio::test(start_paused = true)]
async fn attempts_are_counted_whoever_says_how_long_to_wait() {
    let replies = (0..9).map(|number| match number % 2 {
        0 => vec![limited(SECOND)],
        _ => vec![api(ApiErrorKind::Overloaded)],
    });
    let script = Arc::new(Script::new(replies));
    let outcome = ask(&RetryingModel::new(script.clone()).policy(patient())).await;
    assert!(
        outcome.error().contains("is overloaded"),
        "{}",
        outcome.error()
    );
    assert_eq!((script.asked(), outcome.retries().len()), (4, 3));
    let script = Arc::new(Script::new([vec![api(ApiErrorKind::Server)]]));
    let once = RetryPolicy::new().attempts(1);
    ask(&RetryingModel::new(script.clone()).policy(once))
        .await
        .error();
    assert_eq!(script.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_does_not_get_better_is_not_tried_again() {
    let kinds = [
        ApiErrorKind::Authentication,
        ApiErrorKind::InvalidRequest,
        ApiErrorKind::ContextTooLong,
        ApiErrorKind::Quota,
    ];
    for kind in kinds {
        let script = Arc::new(Script::new([vec![text("Hm"), api(kind)]]));
        ask(&RetryingModel::new(script.clone())).await.error();
        assert_eq!(script.asked(), 1, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_whole_is_never_asked_for_again() {
    let usage = || Ok(ModelEvent::Usage(Usage::new(1, 2)));
    let broken = vec![
        text("All."),
        stop(),
        usage(),
        Err(ModelError::UnexpectedEnd),
    ];
    let script = Arc::new(Script::new([broken]));
    let outcome = ask(&RetryingModel::new(script.clone())).await;
    assert_eq!(outcome.text(), "All.");
    assert_eq!(outcome.reply.unwrap().usage, Usage::new(1, 2));
    assert_eq!(script.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_the_stream_is_dropped() {
    let script = Arc::new(Script::new([vec![limited(SECOND)]]));
    let model = RetryingModel::new(script.clone());
    let request = ModelRequest::default();
    let mut stream = model.reply(&request);
    assert!(matches!(
        stream.next().await,
        Some(Ok(ModelEvent::Retry(_)))
    ));
    let most = Duration::from_millis(100);
    assert!(tokio::time::timeout(most, stream.next()).await.is_err());
    drop(stream);
    tokio::time::sleep(SECOND * 10).await;
    assert_eq!(script.asked(), 1);
}
