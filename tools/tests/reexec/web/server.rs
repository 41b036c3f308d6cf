//! A web server on loopback that answers by path and counts what it was asked.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A server; its thread ends with the program.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves whole responses by path; others are answered with 404. `{port}` is replaced in heads.
    pub(crate) fn start(responses: Vec<(&str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let responses: HashMap<String, Vec<u8>> = responses
            .into_iter()
            .map(|(path, response)| (path.to_owned(), response))
            .collect();
        let (responses, asked) = (Arc::new(responses), Arc::new(Mutex::new(Vec::new())));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (responses, seen) = (Arc::clone(&responses), Arc::clone(&seen));
                thread::spawn(move || answer(stream.unwrap(), &responses, &seen));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the paths that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, responses: &HashMap<String, Vec<u8>>, asked: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(path.clone());
    let missing = b"HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 9\r\nconnection: close\r\n\r\nnot here.".to_vec();
    // The app may close the connection first.
    let _ = stream.write_all(responses.get(&path).unwrap_or(&missing));
}

/// Writes a response.
pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    with_headers(&format!("content-type: {content_type}"), body)
}

/// Writes a response with headers.
pub(crate) fn with_headers(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\n{headers}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Writes a redirect.
pub(crate) fn to(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").into_bytes()
}
