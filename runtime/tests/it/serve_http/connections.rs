//! Connections that say nothing, say nonsense, take nothing, or are too many.

use std::time::Duration;

use helve::serve::HttpSettings;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::served::{EDITOR, LONG, answer, call, eventually, rest, serve, two_principals};

const SOON: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let served = serve(HttpSettings::new().timeouts(SOON, LONG, LONG));
    for begun in ["", "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: "] {
        let mut stream = served.connect().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        let said = rest(&mut stream).await;
        assert!(!said.contains("200 OK"), "{said}");
    }
}

#[tokio::test]
async fn a_head_without_an_end_is_refused() {
    let served = serve(HttpSettings::new());
    let long = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\nx-long: {}",
        "x".repeat(1 << 20)
    );
    assert_eq!(answer(&served.raw(long.as_bytes()).await).status, 431);
    let many = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\n{}\r\n",
        "x-many: 1\r\n".repeat(5000)
    );
    assert_eq!(answer(&served.raw(many.as_bytes()).await).status, 431);
}

#[tokio::test]
async fn garbage_is_refused_and_harms_nobody() {
    let served = serve(HttpSettings::new());
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"hello\r\n\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        b"GET /mcp HTTP/9.9\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nhost : localhost\r\n\r\n",
        b"\r\n\r\n\0\0\0\0\r\n\r\n",
    ] {
        let mut stream = served.connect().await;
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        let said = rest(&mut stream).await;
        assert!(!said.contains("200 OK"), "{said}");
    }
    // What comes behind a good request is read on its own.
    let (head, body) = call("echo", &json!({ "text": "first" }), &[]);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let first = served
        .request("POST /mcp", &head, &body)
        .replace("connection: close\r\n", "");
    let said = served
        .raw(format!("{first}rubbish\r\n\r\n").as_bytes())
        .await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(
        said.contains("first") && said.contains("HTTP/1.1 400"),
        "{said}"
    );
}

#[tokio::test]
async fn several_requests_on_one_connection_are_answered_in_turn() {
    let served = serve(HttpSettings::new());
    let texts = ["one", "two", "three"].map(|text| {
        let (head, body) = call("echo", &json!({ "text": text }), &[]);
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let request = served.request("POST /mcp", &head, &body);
        match text {
            "three" => request,
            _ => request.replace("connection: close\r\n", ""),
        }
    });
    let said = served.raw(texts.concat().as_bytes()).await;
    let places = ["\"one\"", "\"two\"", "\"three\""].map(|text| said.find(text));
    assert!(places.is_sorted() && places[0].is_some(), "{said}");
}

#[tokio::test]
async fn too_many_connections_are_told_so() {
    let served = serve(HttpSettings::new().max_connections(2));
    let held = [served.waiting().await, served.waiting().await];
    assert_eq!(answer(&served.raw(b"").await).status, 503);
    let turned_away = served.call("echo", json!({ "text": "x" }), &[]).await;
    insta::assert_snapshot!(turned_away.said(), @"503 there are too many connections; come again later");
    drop(held);
    eventually(async || {
        served
            .call("echo", json!({ "text": "x" }), &[])
            .await
            .status
            == 200
    })
    .await;
}

#[tokio::test]
async fn connections_without_a_request_keep_nobody_out() {
    let settings = two_principals()
        .max_connections(4)
        .timeouts(LONG, LONG, LONG);
    let served = serve(settings);
    let mut half_open = Vec::new();
    for begun in ["", "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: "].repeat(4) {
        let mut stream = served.connect().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        half_open.push(stream);
    }
    // Neither do those whose requests are refused and who stay.
    for _ in 0..4 {
        let mut stream = served.connect().await;
        let refused = served
            .request("POST /mcp", &["authorization: Bearer wrong"], "{}")
            .replace("connection: close\r\n", "");
        stream.write_all(refused.as_bytes()).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 401");
        half_open.push(stream);
    }
    let token = format!("authorization: Bearer {EDITOR}");
    let called = served.call("echo", json!({ "text": "x" }), &[&token]).await;
    assert_eq!(called.status, 200);
    // The oldest was closed for it.
    assert_eq!(rest(&mut half_open[0]).await, "");
}

#[tokio::test]
async fn who_takes_no_answer_loses_the_connection() {
    let settings = HttpSettings::new()
        .timeouts(LONG, LONG, SOON)
        .max_connections(1);
    let served = serve(settings);
    let (head, body) = call("much", &json!({}), &[]);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut stream = served.connect().await;
    let request = served.request("POST /mcp", &head, &body);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    eventually(async || {
        served
            .call("echo", json!({ "text": "x" }), &[])
            .await
            .status
            == 200
    })
    .await;
    let got = rest(&mut stream).await;
    assert!(got.len() < 8 << 20, "the answer was cut off");
}

#[tokio::test]
async fn who_goes_away_stops_the_call() {
    let served = serve(HttpSettings::new());
    let stream = served.waiting().await;
    drop(stream);
    tokio::time::timeout(LONG, served.signals.dropped.notified())
        .await
        .unwrap();
}
