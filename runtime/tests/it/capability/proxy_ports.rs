//! The proxy on the ports of the web themselves, where this user may listen on them.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::capability::names::Names;
use crate::capability::proxy::proxy;
use crate::capability::server::{Server, ok};

/// A loopback address that nothing else listens on.
const HERE: &str = "127.80.44.3";

fn names() -> Arc<Names> {
    Names::new(&[("localhost", &[HERE])])
}

/// Opens a tunnel, sends bytes and returns all that comes back.
async fn through(to: std::net::SocketAddr, port: u16, said: &str) -> String {
    let mut stream = TcpStream::connect(to).await.unwrap();
    let request = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 200"));
    stream.write_all(said.as_bytes()).await.unwrap();
    let mut back = Vec::new();
    let _ = stream.read_to_end(&mut back).await;
    String::from_utf8_lossy(&back).into_owned()
}

#[tokio::test]
async fn a_tunnel_to_port_80_carries_requests_to_its_host_alone() {
    if let Err(error) = TcpListener::bind((HERE, 80)).await {
        println!("nothing ran, because nobody listens on port 80 here: {error}");
        return;
    }
    let server = Server::start(&format!("{HERE}:80"), &[("/", &ok("hello"))]).await;
    let proxy = proxy(&["localhost", "other.test"], names());
    let address = proxy.address();
    let ask = |target: &str, host: &str| {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        async move { through(address, 80, &request).await }
    };
    assert!(ask("/", "localhost").await.ends_with("hello"));
    assert!(
        ask("http://localhost/", "LOCALHOST:80")
            .await
            .ends_with("hello")
    );
    for (target, host) in [
        ("/", "evil.test"),
        ("/", "other.test"),
        ("http://evil.test/", "localhost"),
        ("/", "localhost:81"),
    ] {
        let answer = ask(target, host).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") && answer.contains("this tunnel is for `localhost`"),
            "{answer}"
        );
    }
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn port_443_carries_tls_and_nothing_else() {
    let Ok(listener) = TcpListener::bind((HERE, 443)).await else {
        println!("nothing ran, because nobody listens on port 443 here");
        return;
    };
    let proxy = proxy(&["localhost"], names());
    let heard = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        heard
    });
    let back = through(
        proxy.address(),
        443,
        "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
    )
    .await;
    // An alert of TLS: the name is not known here.
    assert!(
        back.as_bytes().starts_with(&[0x15, 3, 3, 0, 2, 2, 112]),
        "{back:?}"
    );
    assert!(heard.await.unwrap().is_empty());
}
