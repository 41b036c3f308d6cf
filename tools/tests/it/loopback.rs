//! A server on loopback that answers with any bytes.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and listen"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a server answers.
pub(crate) enum Reply {
    /// These bytes, and then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, and then silence.
    Silence(Vec<u8>),
    /// These bytes, and then others again and again.
    Endless(Vec<u8>, Vec<u8>),
}

/// Writes a whole answer. It says that the connection ends, or a client would send its next request there.
pub(crate) fn reply(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Bytes(
        format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\ncontent-length: {length}\r\n\r\n{body}")
            .into_bytes(),
    )
}

/// A server; it ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Server {
    /// Serves what the function answers to the text of a request.
    pub(crate) async fn start(respond: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (respond, asked) = (Arc::new(respond), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&asked);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (respond, kept) = (Arc::clone(&respond), Arc::clone(&kept));
                tokio::spawn(async move {
                    let _ = serve(stream, &*respond, &kept).await;
                });
            }
        });
        Self {
            address,
            asked,
            serving,
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the requests so far.
    pub(crate) fn asked(&self) -> String {
        let asked = self.asked.lock().unwrap().join("\n");
        self.without_port(&asked)
    }

    pub(crate) fn without_port(&self, text: &str) -> String {
        text.replace(&self.port().to_string(), "PORT")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    respond: &(impl Fn(&str) -> Reply + Send + Sync),
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let request = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break text.replace("\r\n", "\n").trim_end().to_owned();
        }
    };
    let reply = respond(&request);
    asked.lock().unwrap().push(request);
    match reply {
        Reply::Bytes(bytes) => stream.write_all(&bytes).await,
        Reply::Silence(bytes) => {
            stream.write_all(&bytes).await?;
            // The client gives up; the test ends with the server.
            std::future::pending().await
        }
        Reply::Endless(bytes, again) => {
            stream.write_all(&bytes).await?;
            loop {
                stream.write_all(&again).await?;
            }
        }
    }
}
