//! A site on loopback, which takes in whatever it is sent.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Whole responses by path.
pub(crate) type Pages = BTreeMap<String, Vec<u8>>;

/// What answers a request that no page answers.
type Responder = dyn Fn(&str) -> Vec<u8> + Send + Sync;

/// A site; its thread ends with the program.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pages: Arc<Mutex<Pages>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Opens a site that has no pages yet; what is not there is answered with a few words.
    pub(crate) fn open() -> io::Result<Self> {
        Self::open_with(|_| ok("text/plain", "Thank you."))
    }

    /// Opens a site that answers by a function what no page answers.
    pub(crate) fn open_with(
        respond: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let respond: Arc<Responder> = Arc::new(respond);
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
                let respond = Arc::clone(&respond);
                // A client that closes early is no failure.
                thread::spawn(move || drop(answer(stream, &pages, &requests, &*respond)));
            }
        });
        Ok(site)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests since the last time.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *requests)
    }

    /// Adds pages.
    pub(crate) fn serve(&self, pages: Pages) {
        let mut own = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        own.extend(pages);
    }

    /// Returns the requests so far, each whole.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.clone()
    }
}

fn answer(
    mut stream: TcpStream,
    pages: &Mutex<Pages>,
    requests: &Mutex<Vec<String>>,
    respond: &Responder,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let request = read_request(&mut stream)?;
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    requests
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(request.clone());
    let pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
    let page = pages.get(&path).cloned();
    drop(pages);
    stream.write_all(&page.unwrap_or_else(|| respond(&request)))
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
pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response("200 OK", &format!("content-type: {content_type}"), body)
}

/// Writes a response.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
