//! A site on loopback: it serves pages, plays a search engine, and takes in whatever it is sent.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Whole responses by path.
pub(super) type Pages = BTreeMap<String, Vec<u8>>;

/// A site; its thread ends with the program.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) address: SocketAddr,
    pages: Arc<Mutex<Pages>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Opens a site that has no pages yet; what is not there is answered with a few words.
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let site = Self {
            address: listener.local_addr()?,
            pages: Arc::default(),
            requests: Arc::default(),
        };
        let (pages, requests) = (Arc::clone(&site.pages), Arc::clone(&site.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, requests) = (Arc::clone(&pages), Arc::clone(&requests));
                // A client that closes early is no failure.
                thread::spawn(move || drop(answer(stream, &pages, &requests)));
            }
        });
        Ok(site)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds pages.
    pub(super) fn serve(&self, pages: Pages) {
        let mut own = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        own.extend(pages);
    }

    /// Returns the requests so far, each whole.
    pub(super) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.clone()
    }
}

fn answer(
    mut stream: TcpStream,
    pages: &Mutex<Pages>,
    requests: &Mutex<Vec<String>>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let request = read_request(&mut stream)?;
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    requests
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(request);
    let page = pages.lock().unwrap_or_else(PoisonError::into_inner);
    let page = page.get(&path).cloned();
    stream.write_all(&page.unwrap_or_else(|| ok("text/plain", "Thank you.")))
}

/// Reads a request with its body.
fn read_request(stream: &mut TcpStream) -> io::Result<String> {
    let (mut read, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Ok(text);
            }
        }
        match stream.read(&mut piece)? {
            0 => return Ok(text),
            count => read.extend_from_slice(&piece[..count]),
        }
    }
}

/// Writes a response of success.
pub(super) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response("200 OK", &format!("content-type: {content_type}"), body)
}

/// Writes a response.
pub(super) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
