//! Bodies that are too long, too slow or broken.

use std::time::Duration;

use helve::serve::HttpSettings;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::served::{LONG, answer, rest, serve};

/// A head with a body of which the rest is never sent.
const UNFINISHED: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
    accept: application/json, text/event-stream\r\nconnection: close\r\n";

#[tokio::test]
async fn a_body_that_says_it_is_too_long_is_not_waited_for() {
    let served = serve(HttpSettings::new().max_message_bytes(1000));
    let head = format!("{UNFINISHED}content-length: 100000000\r\n\r\n{{");
    let mut stream = served.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    insta::assert_snapshot!(answer(&rest(&mut stream).await).said(), @"413 the message is longer than 1000 bytes");
}

#[tokio::test]
async fn a_body_that_does_not_say_how_long_it_is_is_cut_off() {
    let served = serve(HttpSettings::new().max_message_bytes(1 << 20));
    let mut text = format!("{UNFINISHED}transfer-encoding: chunked\r\n\r\n");
    for _ in 0..40 {
        text.push_str(&format!("8000\r\n{}\r\n", "x".repeat(0x8000)));
    }
    text.push_str("0\r\n\r\n");
    insta::assert_snapshot!(answer(&served.raw(text.as_bytes()).await).said(), @"413 the message is longer than 1048576 bytes");
}

#[tokio::test]
async fn a_long_message_that_is_not_too_long_arrives() {
    let served = serve(HttpSettings::new());
    let text = "x".repeat(3 << 20);
    let called = served.call("echo", json!({ "text": text }), &[]).await;
    assert_eq!(called.status, 200);
    assert!(called.body.len() > text.len());
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let settings = HttpSettings::new().timeouts(LONG, Duration::from_millis(100), LONG);
    let served = serve(settings);
    let head = format!("{UNFINISHED}content-length: 100\r\n\r\n{{\"jsonrpc\"");
    let mut stream = served.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    insta::assert_snapshot!(answer(&rest(&mut stream).await).said(), @"408 the body of the request took too long");
}

#[tokio::test]
async fn long_bodies_that_do_not_come_leave_room_for_short_ones() {
    let served = serve(HttpSettings::new());
    let mut slow = Vec::new();
    for _ in 0..6 {
        let mut stream = served.connect().await;
        let head = format!("{UNFINISHED}content-length: 4000000\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; 2_000_000]).await.unwrap();
        slow.push(stream);
    }
    let called = served.call("echo", json!({ "text": "short" }), &[]).await;
    assert_eq!(called.status, 200);
}

#[tokio::test]
async fn a_body_that_is_broken_is_answered_or_dropped() {
    let served = serve(HttpSettings::new());
    let text = format!("{UNFINISHED}transfer-encoding: chunked\r\n\r\nzz\r\nnot a chunk\r\n");
    insta::assert_snapshot!(answer(&served.raw(text.as_bytes()).await).said(), @"400 the body of the request could not be read");
    // Two lengths are how requests are smuggled past a proxy.
    let text = format!("{UNFINISHED}content-length: 2\r\ncontent-length: 40\r\n\r\n{{}}");
    assert_eq!(answer(&served.raw(text.as_bytes()).await).status, 400);
    let text = format!("{UNFINISHED}content-length: x\r\n\r\n{{}}");
    assert_eq!(answer(&served.raw(text.as_bytes()).await).status, 400);
}
