//! Sessions that are too many, or that nobody uses.

use std::time::Duration;

use helve::serve::HttpSettings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::served::{EDITOR, LONG, ROBOT, answer, eventually, serve, two_principals};

#[tokio::test]
async fn the_session_that_was_idle_for_longest_makes_room() {
    let served = serve(HttpSettings::new().sessions(2, LONG));
    let first = served.session(&[]).await;
    let second = served.session(&[]).await;
    assert_eq!(served.ping(&first, &[]).await, 200);
    let third = served.session(&[]).await;
    let mut is_there = Vec::new();
    for id in [&first, &second, &third] {
        is_there.push(served.ping(id, &[]).await);
    }
    assert_eq!(is_there, [200, 404, 200]);
}

#[tokio::test]
async fn a_session_that_listens_does_not_make_room() {
    let served = serve(HttpSettings::new().sessions(1, LONG));
    let id = served.session(&[]).await;
    let mut listening = served.connect().await;
    let session = format!("mcp-session-id: {id}");
    let request = served.request("GET /mcp", &[&session], "");
    listening.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    listening.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let another = served
        .ask("POST /mcp", &[], super::served::INITIALIZE)
        .await;
    insta::assert_snapshot!(another.said(), @"500 Encounter an error when create session: all 1 sessions are at work: end one, or come again later");
    assert_eq!(served.ping(&id, &[]).await, 200);
    drop(listening);
    // Once nobody listens any more it is idle.
    let begun = async || {
        let begun = served.ask("POST /mcp", &[], super::served::INITIALIZE);
        begun.await.status == 200
    };
    eventually(begun).await;
    assert_eq!(served.ping(&id, &[]).await, 404);
}

#[tokio::test]
async fn a_principal_cannot_push_out_the_sessions_of_another() {
    let served = serve(two_principals().sessions(1, LONG));
    let editor = format!("authorization: Bearer {EDITOR}");
    let robot = format!("authorization: Bearer {ROBOT}");
    let id = served.session(&[&editor]).await;
    for _ in 0..3 {
        served.session(&[&robot]).await;
    }
    assert_eq!(served.ping(&id, &[&editor]).await, 200);
}

#[tokio::test]
async fn a_session_that_was_never_finished_is_ended() {
    let served = serve(HttpSettings::new().sessions(8, Duration::from_millis(50)));
    let begun = served
        .ask("POST /mcp", &[], super::served::INITIALIZE)
        .await;
    let id = begun.header("mcp-session-id").unwrap().to_owned();
    eventually(async || {
        tokio::time::sleep(Duration::from_millis(200)).await;
        served.ping(&id, &[]).await == 404
    })
    .await;
    assert_eq!(answer(&served.raw(b"x\r\n\r\n").await).status, 400);
}
