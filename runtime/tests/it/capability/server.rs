//! A web server on loopback that answers by path and keeps what it was asked.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A server; it ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Server {
    /// Serves whole responses by path; others are told 404.
    pub(crate) async fn start(at: &str, responses: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let fill = |text: &str| text.replace("{port}", &address.port().to_string());
        let responses: HashMap<String, String> = responses
            .iter()
            .map(|(path, response)| ((*path).to_owned(), fill(response)))
            .collect();
        let (responses, asked) = (Arc::new(responses), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&asked);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&responses), Arc::clone(&kept)));
            }
        });
        Self {
            address,
            asked,
            serving,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the requests so far, with the names of headers in lower case.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Writes a response.
pub(crate) fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Writes a redirect.
pub(crate) fn to(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Go\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
}

async fn answer(
    mut stream: TcpStream,
    responses: Arc<HashMap<String, String>>,
    asked: Arc<Mutex<Vec<String>>>,
) {
    let mut bytes = Vec::new();
    loop {
        let head = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            match stream.read_buf(&mut bytes).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        };
        let mut lines = String::from_utf8_lossy(&bytes[..head])
            .trim_end()
            .to_owned();
        let mut length = 0;
        lines = lines
            .lines()
            .map(|line| match line.split_once(": ") {
                Some((name, value)) => {
                    let name = name.to_lowercase();
                    if name == "content-length" {
                        length = value.parse().unwrap();
                    }
                    format!("{name}: {value}\n")
                }
                None => format!("{line}\n"),
            })
            .collect();
        while bytes.len() < head + length {
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let body = String::from_utf8_lossy(&bytes[head..head + length]).into_owned();
        bytes.drain(..head + length);
        let path = lines.split(' ').nth(1).unwrap_or_default().to_owned();
        asked.lock().unwrap().push(format!("{lines}{body}"));
        let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned();
        let response = responses.get(&path).unwrap_or(&missing);
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}
