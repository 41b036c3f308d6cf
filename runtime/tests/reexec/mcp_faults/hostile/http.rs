//! Streamable HTTP at `/mcp`, the older pair of `/sse` and `/messages`, and what another origin got to see at `/seen`.

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::fault::Fault;
use super::script::{HostileScript, Step};

/// What the connections of one server share.
struct Shared {
    script: Arc<HostileScript>,
    /// The older transport's stream, which answers go to.
    stream: Mutex<Option<TcpStream>>,
    /// The heads of the requests that came to the other origin.
    seen: Mutex<String>,
    other_port: u16,
}

/// A request, as far as anybody looks at it.
struct Request {
    method: String,
    path: String,
    head: String,
    body: Vec<u8>,
}

pub(super) fn serve(script: &Arc<HostileScript>) -> ! {
    let (Ok(listener), Ok(other)) = (
        TcpListener::bind("127.0.0.1:0"),
        TcpListener::bind("127.0.0.1:0"),
    ) else {
        std::process::exit(4)
    };
    let port = |listener: &TcpListener| listener.local_addr().map_or(0, |address| address.port());
    let shared = Arc::new(Shared {
        script: Arc::clone(script),
        stream: Mutex::new(None),
        seen: Mutex::new(String::new()),
        other_port: port(&other),
    });
    println!("{}", port(&listener));
    if script.fault == Fault::DiesAtOnce {
        std::process::exit(3);
    }
    let beside = Arc::clone(&shared);
    thread::spawn(move || accept(&other, &beside, watch));
    accept(&listener, &shared, handle)
}

/// Holds a thread for good.
pub(super) fn hang() -> ! {
    loop {
        thread::park();
    }
}

/// Writes the letter `x` so many times.
pub(super) fn fill(output: &mut impl Write, bytes: usize) -> io::Result<()> {
    let block = [b'x'; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(block.len());
        output.write_all(&block[..now])?;
        left -= now;
    }
    Ok(())
}

fn accept(
    listener: &TcpListener,
    shared: &Arc<Shared>,
    handle: fn(&Shared, TcpStream) -> io::Result<()>,
) -> ! {
    loop {
        if let Ok((connection, _)) = listener.accept() {
            let shared = Arc::clone(shared);
            // A client that hangs up is none of this server's business.
            thread::spawn(move || drop(handle(&shared, connection)));
        }
    }
}

/// The other origin keeps what comes, and answers as if it were the server.
fn watch(shared: &Shared, mut connection: TcpStream) -> io::Result<()> {
    let request = read(&connection)?;
    shared
        .seen
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push_str(&request.head);
    answer(shared, &mut connection, &request.body)
}

fn handle(shared: &Shared, mut connection: TcpStream) -> io::Result<()> {
    let request = read(&connection)?;
    let fault = shared.script.fault;
    let elsewhere = format!("http://127.0.0.1:{}{}", shared.other_port, request.path);
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/seen") => {
            let seen = shared
                .seen
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            whole(&mut connection, "200 OK", "text/plain", &seen)
        }
        _ if fault == Fault::Redirects => {
            let status = format!("307 Temporary Redirect\r\nLocation: {elsewhere}");
            whole(&mut connection, &status, "text/plain", "")
        }
        ("GET", "/sse") => {
            let endpoint = match fault {
                Fault::PointsElsewhere => {
                    format!("http://127.0.0.1:{}/messages", shared.other_port)
                }
                _ => "/messages?session=1".to_owned(),
            };
            open_stream(shared, connection, &endpoint)
        }
        ("POST", path) if path.starts_with("/messages") => {
            whole(&mut connection, "202 Accepted", "text/plain", "")?;
            let steps = steps(shared, &request.body);
            let mut stream = shared.stream.lock().unwrap_or_else(PoisonError::into_inner);
            match stream.as_mut() {
                Some(stream) => stream_steps(stream, steps),
                None => Ok(()),
            }
        }
        // Its own stream breaks with the answer, and is not why.
        ("GET", "/mcp") if fault == Fault::DiesAnswering => hang(),
        ("POST", "/mcp") => answer(shared, &mut connection, &request.body),
        ("DELETE", "/mcp") => whole(&mut connection, "200 OK", "text/plain", ""),
        _ => whole(&mut connection, "405 Method Not Allowed", "text/plain", ""),
    }
}

/// Opens the older transport's stream. The stream is in place before the client learns where to post, since the client
/// may post before this function returns, and an answer without a stream is lost.
fn open_stream(shared: &Shared, connection: TcpStream, endpoint: &str) -> io::Result<()> {
    let mut stream = shared.stream.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = stream.insert(connection);
    head(stream, "text/event-stream", None)?;
    write!(stream, "event: endpoint\ndata: {endpoint}\n\n")
}

fn steps(shared: &Shared, body: &[u8]) -> Vec<Step> {
    let message = serde_json::from_slice(body);
    message.map_or_else(|_| Vec::new(), |message| shared.script.answer(&message))
}

/// Answers a request of streamable HTTP: one message as JSON, more of them as events.
fn answer(shared: &Shared, connection: &mut TcpStream, body: &[u8]) -> io::Result<()> {
    let mut steps = steps(shared, body);
    if steps.len() > 1 {
        head(connection, "text/event-stream", None)?;
        return stream_steps(connection, steps);
    }
    match steps.pop() {
        None => whole(connection, "202 Accepted", "text/plain", ""),
        Some(Step::Send(message)) => whole(
            connection,
            "200 OK",
            "application/json",
            &message.to_string(),
        ),
        Some(Step::Prose(text)) => whole(connection, "200 OK", "application/json", text),
        Some(Step::Fill {
            before,
            bytes,
            after,
        }) => {
            head(
                connection,
                "application/json",
                Some(before.len() + bytes + after.len()),
            )?;
            connection.write_all(before.as_bytes())?;
            fill(connection, bytes)?;
            connection.write_all(after.as_bytes())
        }
        Some(Step::Hang) => hang(),
        Some(step) => {
            head(connection, "text/event-stream", None)?;
            stream_steps(connection, vec![step])
        }
    }
}

fn stream_steps(stream: &mut TcpStream, steps: Vec<Step>) -> io::Result<()> {
    let mut stream = io::BufWriter::new(stream);
    for step in steps {
        match step {
            Step::Send(message) => write!(stream, "data: {message}\n\n")?,
            Step::Repeat(message, times) => {
                let event = format!("data: {message}\n\n");
                for _ in 0..times {
                    stream.write_all(event.as_bytes())?;
                }
            }
            Step::Fill {
                before,
                bytes,
                after,
            } => {
                write!(stream, "data: {before}")?;
                fill(&mut stream, bytes)?;
                write!(stream, "{after}\n\n")?;
            }
            Step::Prose(text) => write!(stream, "data: {text}\n\n")?,
            Step::Begin(text) => write!(stream, "data: {text}")?,
            // The stream of the older transport carries every answer: then only this one is missing.
            Step::Hang => {}
            Step::Die => {
                stream.flush()?;
                std::process::exit(1);
            }
        }
    }
    stream.flush()
}

fn read(connection: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = head.split_whitespace().map(str::to_owned);
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    Ok(Request {
        method,
        path,
        head,
        body,
    })
}

fn head(connection: &mut TcpStream, kind: &str, length: Option<usize>) -> io::Result<()> {
    let length = length.map_or_else(String::new, |length| {
        format!("Content-Length: {length}\r\n")
    });
    write!(
        connection,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nMcp-Session-Id: one\r\n{length}Connection: close\r\n\r\n"
    )
}

fn whole(connection: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nMcp-Session-Id: one\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
