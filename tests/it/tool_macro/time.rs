//! Deadlines and cancellation.

use super::*;

/// Never comes back.
#[tool(timeout = "2m")]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Comes back in time.
#[tool(timeout = "2m")]
async fn naps() {
    tokio::time::sleep(Duration::from_secs(119)).await;
}

#[tokio::test(start_paused = true)]
async fn out_stops_a_call() {
    let began = tokio::time::Instant::now();
    let said = call_text(|| toolset![waits], "", &ToolContext::new()).await;
    assert_eq!(began.elapsed().as_secs(), 120);
    assert_snapshot!(said, @"cancelled: the call did not finish before its deadline; it may have taken effect: check before you repeat it");
}

#[tokio::test(start_paused = true)]
async fn enough_lets_a_call_finish() {
    assert_eq!(
        call_text(|| toolset![naps], "", &ToolContext::new()).await,
        "done"
    );
}

#[tokio::test(start_paused = true)]
async fn is_the_hosts_where_that_is_shorter() {
    let began = tokio::time::Instant::now();
    let context = ToolContext::builder()
        .deadline(began + Duration::from_secs(7))
        .build();
    call_text(|| toolset![naps], "", &context).await;
    assert_eq!(began.elapsed().as_secs(), 7);
}

#[tokio::test]
async fn is_over_when_the_host_cancels() {
    let context = ToolContext::new();
    let (said, ()) = tokio::join!(call_text(|| toolset![waits], "", &context), async {
        tokio::task::yield_now().await;
        context.cancellation().cancel();
    });
    assert_snapshot!(said, @"cancelled: the call was cancelled; it may have taken effect: check before you repeat it");
}

#[tokio::test]
async fn does_not_begin_after_a_cancellation() {
    let context = ToolContext::new();
    context.cancellation().cancel();
    assert_eq!(
        call_text(|| toolset![arguments_free], "", &context).await,
        "cancelled: the call was cancelled"
    );
}
