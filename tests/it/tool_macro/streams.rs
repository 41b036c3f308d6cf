//! Tools that report while they work.

use futures_core::Stream;
use futures_util::stream;

use super::*;

/// Counts.
#[tool]
fn count(
    /// To what.
    to: u32,
) -> impl Stream<Item = Update<Vec<u32>>> {
    let steps = (0..to).map(move |done| Update::step(done.into(), to.into()));
    stream::iter(steps.chain([Update::message("counted"), Update::Done((0..to).collect())]))
}

/// Ends early.
#[tool]
fn ends() -> impl Stream<Item = Update<u32>> {
    stream::iter([Update::message("begins")])
}

/// Fails.
#[tool]
fn fails() -> impl Stream<Item = Update<u32>> {
    stream::iter([
        Update::message("begins"),
        Update::failed(Denial::new("not on Sundays")),
    ])
}

/// Puts out pieces.
#[tool]
fn pieces(
    /// Whether it fails in the end.
    fail: bool,
) -> impl Stream<Item = Update<String>> {
    let end = fail.then(|| Update::failed(ToolError::failed("exit status 1")));
    stream::iter(
        [Update::output("one "), Update::output("two")]
            .into_iter()
            .chain(end),
    )
}

fn listening() -> (ToolContext, Arc<Mutex<Vec<ProgressUpdate>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let progress = Progress::new(move |update| sink.lock().unwrap().push(update));
    (ToolContext::builder().progress(progress).build(), heard)
}

#[tokio::test]
async fn report_progress_and_end_in_one_value() {
    let (context, heard) = listening();
    assert_eq!(
        call_text(|| toolset![count], r#"{"to":2}"#, &context).await,
        "[0,1]"
    );
    assert_eq!(
        *heard.lock().unwrap(),
        [
            ProgressUpdate::step(0.0, 2.0),
            ProgressUpdate::step(1.0, 2.0),
            ProgressUpdate::message("counted")
        ]
    );
}

#[tokio::test]
async fn that_end_without_a_value_have_failed() {
    let (context, heard) = listening();
    assert_eq!(
        call_text(|| toolset![ends], "", &context).await,
        "failed: the tool's stream ended without a result (`Update::Done`)"
    );
    assert_eq!(*heard.lock().unwrap(), [ProgressUpdate::message("begins")]);
}

#[tokio::test]
async fn may_end_in_an_error_that_keeps_its_kind() {
    assert_eq!(
        call_text(|| toolset![fails], "", &ToolContext::new()).await,
        "denied: not on Sundays"
    );
}

#[tokio::test]
async fn may_put_their_result_out_in_pieces() {
    let (context, heard) = listening();
    assert_eq!(
        call_text(|| toolset![pieces], r#"{"fail":false}"#, &context).await,
        "one two"
    );
    assert_eq!(
        *heard.lock().unwrap(),
        [
            ProgressUpdate::text(ProgressStream::Stdout, "one "),
            ProgressUpdate::text(ProgressStream::Stdout, "two")
        ]
    );
    assert_eq!(
        call_text(|| toolset![pieces], r#"{"fail":true}"#, &context).await,
        "failed: exit status 1\n\nIt had put out:\none two"
    );
}
