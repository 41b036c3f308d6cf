//! A server that is told to end.

use std::time::Duration;

use helve::serve::HttpSettings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::served::{LONG, answer, rest, serve};

#[tokio::test]
async fn a_call_that_runs_is_answered_first() {
    let mut served = serve(HttpSettings::new().grace(LONG));
    let id = served.session(&[]).await;
    let mut listening = served.connect().await;
    let session = format!("mcp-session-id: {id}");
    let request = served.request("GET /mcp", &[&session], "");
    listening.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).await.unwrap();

    let mut stream = served.waiting().await;
    served.stop.cancel();
    // Nobody else comes in.
    super::served::eventually(async || TcpStream::connect(served.address).await.is_err()).await;
    served.signals.go_on.notify_one();
    let answered = answer(&rest(&mut stream).await);
    assert_eq!(answered.message()["result"]["content"][0]["text"], "done");
    // Who only listens is not waited for.
    rest(&mut listening).await;
    timeout(LONG, &mut served.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_does_not_end_is_stopped() {
    let mut served = serve(HttpSettings::new().grace(Duration::from_millis(50)));
    let mut stream = served.waiting().await;
    served.stop.cancel();
    timeout(LONG, served.signals.dropped.notified())
        .await
        .unwrap();
    rest(&mut stream).await;
    timeout(LONG, &mut served.task).await.unwrap().unwrap();
}
