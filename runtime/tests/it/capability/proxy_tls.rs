//! Tunnels of the proxy, held against the name in the first message of TLS.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::capability::names::Names;
use crate::capability::proxy::proxy;

/// Writes the first message of a TLS client, with the name that it asks for.
fn client_hello(name: Option<&str>) -> Vec<u8> {
    let mut extensions = Vec::new();
    let mut extension = |kind: u16, body: &[u8]| {
        extensions.extend(kind.to_be_bytes());
        extensions.extend((body.len() as u16).to_be_bytes());
        extensions.extend(body);
    };
    if let Some(name) = name {
        let length = name.len() as u16;
        let mut body = (length + 3).to_be_bytes().to_vec();
        body.push(0);
        body.extend(length.to_be_bytes());
        body.extend(name.as_bytes());
        extension(0, &body);
    }
    extension(10, &[0, 2, 0, 0x1d]); // x25519
    extension(13, &[0, 4, 4, 3, 8, 4]); // ECDSA and RSA-PSS with SHA-256
    extension(43, &[2, 3, 4]); // TLS 1.3
    let mut share = vec![0, 36, 0, 0x1d, 0, 32];
    share.extend([7; 32]);
    extension(51, &share);
    let mut hello = vec![3, 3];
    hello.extend([9; 32]);
    hello.push(0);
    hello.extend([0, 2, 0x13, 1, 1, 0]);
    hello.extend((extensions.len() as u16).to_be_bytes());
    hello.extend(extensions);
    let mut message = vec![1, 0];
    message.extend((hello.len() as u16).to_be_bytes());
    message.extend(hello);
    let mut record = vec![0x16, 3, 1];
    record.extend((message.len() as u16).to_be_bytes());
    record.extend(message);
    record
}

/// Opens a tunnel, says something in pieces, and returns what came back through it and what the server heard.
async fn through(host: &str, said: &[u8], pieces: usize) -> (Vec<u8>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = Names::new(&[("localhost", &["127.0.0.1"])]);
    let proxy = proxy(
        &["localhost:*", "127.0.0.1:*", "other.test:*"],
        Arc::clone(&names),
    );
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 200"));
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        heard
    });
    for piece in said.chunks(said.len().div_ceil(pieces).max(1)) {
        stream.write_all(piece).await.unwrap();
        stream.flush().await.unwrap();
        tokio::task::yield_now().await;
    }
    let _ = stream.shutdown().await;
    let mut back = Vec::new();
    let _ = stream.read_to_end(&mut back).await;
    drop(proxy);
    (back, server.await.unwrap())
}

/// Cuts the message of a record into records of their own.
fn in_records(hello: &[u8], most: usize) -> Vec<u8> {
    let mut records = Vec::new();
    for piece in hello[5..].chunks(most) {
        records.extend([0x16, 3, 1]);
        records.extend((piece.len() as u16).to_be_bytes());
        records.extend(piece);
    }
    records
}

const UNRECOGNIZED_NAME: &[u8] = &[0x15, 3, 3, 0, 2, 2, 112];

#[tokio::test]
async fn the_name_of_the_tunnel_passes_however_it_is_cut() {
    for pieces in [1, 2, 5, 60] {
        let hello = client_hello(Some("localhost"));
        let (back, heard) = through("localhost", &hello, pieces).await;
        assert_eq!((back, heard), (vec![], hello), "{pieces}");
    }
    let hello = client_hello(Some("LocalHost"));
    assert_eq!(through("LOCALHOST.", &hello, 1).await.1, hello);
    // An address needs no name, and may be asked for what could be reached by itself.
    for name in [None, Some("other.test")] {
        let hello = client_hello(name);
        assert_eq!(through("127.0.0.1", &hello, 1).await.1, hello);
    }
}

#[tokio::test]
async fn another_name_is_refused_and_nothing_of_it_arrives() {
    for (host, name) in [
        ("localhost", Some("evil.test")),
        ("localhost", Some("other.test")),
        ("localhost", Some("localhost.evil.test")),
        ("localhost", None),
        ("127.0.0.1", Some("evil.test")),
    ] {
        for pieces in [1, 7] {
            let (back, heard) = through(host, &client_hello(name), pieces).await;
            assert_eq!(
                (&*back, &*heard),
                (UNRECOGNIZED_NAME, &[][..]),
                "{host} {name:?}"
            );
        }
    }
    // Cut into records, so that the name is in none of them whole.
    for most in [1, 10, 60] {
        let (back, heard) = through(
            "localhost",
            &in_records(&client_hello(Some("evil.test")), most),
            1,
        )
        .await;
        assert_eq!((&*back, &*heard), (UNRECOGNIZED_NAME, &[][..]), "{most}");
        let good = in_records(&client_hello(Some("localhost")), most);
        assert_eq!(through("localhost", &good, 1).await.1, good, "{most}");
    }
    // The beginning of TLS and then noise, or nothing.
    for said in [
        &[0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5][..],
        &[0x16, 3, 1, 0xff, 0xff],
        &[0x16],
    ] {
        let (_, heard) = through("localhost", said, 1).await;
        assert!(heard.is_empty(), "{said:?}");
    }
}
