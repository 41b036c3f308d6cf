//! The pages of the demonstration, served on loopback.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// The pages by path.
const PAGES: [(&str, &str); 3] = [
    ("/history", include_str!("../pages/history.html")),
    ("/visit", include_str!("../pages/visit.html")),
    ("/forum", include_str!("../pages/forum.html")),
];

/// The most bytes of a request that are read.
const MAX_REQUEST: usize = 16 << 10;

/// Serves the pages until the program ends, and returns the port.
///
/// # Errors
/// When no port is free.
pub(crate) fn serve() -> io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that closes early is no failure of the server.
            thread::spawn(move || drop(answer(stream)));
        }
    });
    Ok(port)
}

/// Returns the page of a path.
pub(crate) fn page(path: &str) -> Option<&'static str> {
    let found = PAGES.iter().find(|(own, _)| *own == path);
    found.map(|(_, body)| *body)
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < MAX_REQUEST {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            count => head.extend_from_slice(&piece[..count]),
        }
    }
    let head = String::from_utf8_lossy(&head);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (status, body) = page(path).map_or(("404 Not Found", "not here"), |body| ("200 OK", body));
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}
