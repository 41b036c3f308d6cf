//! The callback of a login: the browser is redirected to an address of this machine.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use super::error::Cause;
use super::{OAuthError, target::Target};

/// The greatest number of connections that are read at once; a browser opens a few in advance.
const MOST_CONNECTIONS: usize = 16;

/// The greatest size of a request, in bytes, and its time limit.
const LARGEST_HEAD: usize = 16 * 1024;
const SLOWEST_HEAD: Duration = Duration::from_secs(10);

/// The path of the redirect URL.
const PATH: &str = "/callback";

/// Listens for the redirect of the browser.
#[derive(Debug)]
pub(super) struct CallbackListener {
    socket: TcpListener,
    address: SocketAddr,
}

/// The parameters of a successful redirect.
pub(super) struct Answer {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

/// The result of one request: the expected parameters, or the error of the authorization server.
type Outcome = Result<Answer, Cause>;

impl CallbackListener {
    /// Listens on a port of the loopback interface; 0 is any free port.
    pub(super) async fn bind(port: u16) -> Result<Self, OAuthError> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        bound
            .and_then(|socket| {
                let address = socket.local_addr()?;
                Ok(Self { socket, address })
            })
            .map_err(|source| OAuthError::Listen {
                port,
                source: Arc::new(source),
            })
    }

    /// Returns the redirect URL.
    pub(super) fn redirect_uri(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the redirect with this state. Requests without it are refused and do not end the login, because any
    /// page in the user's browser can send a request here.
    pub(super) async fn answer(
        self,
        target: &Target,
        state: &str,
        patience: Duration,
    ) -> Result<Answer, OAuthError> {
        let waited = timeout(patience, self.first(state)).await;
        let outcome = waited.map_err(|_| OAuthError::Unanswered {
            server: target.name.clone(),
            after: patience,
        })?;
        outcome.map_err(|source| OAuthError::Refused {
            server: target.name.clone(),
            source,
        })
    }

    async fn first(&self, state: &str) -> Outcome {
        let mut readers = JoinSet::new();
        loop {
            let has_room = readers.len() < MOST_CONNECTIONS;
            tokio::select! {
                accepted = self.socket.accept(), if has_room => {
                    // The error concerns only this connection, or is temporary, such as too many open files.
                    match accepted {
                        Ok((stream, _)) => { readers.spawn(serve(stream, self.address, state.to_owned())); }
                        Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                    }
                }
                Some(read) = readers.join_next() => {
                    if let Ok(Some(outcome)) = read {
                        return outcome;
                    }
                }
            }
        }
    }
}

async fn serve(mut stream: TcpStream, address: SocketAddr, state: String) -> Option<Outcome> {
    let target = timeout(SLOWEST_HEAD, read_target(&mut stream))
        .await
        .ok()??;
    let outcome = read_outcome(&target, address, &state);
    let (status, text) = match &outcome {
        Some(Ok(_)) => (
            "200 OK",
            "The login is done. You can close this window and go back to the program.",
        ),
        Some(Err(_)) => (
            "200 OK",
            "The login was refused. You can close this window; the program says why.",
        ),
        None => ("404 Not Found", "This is not the end of a login."),
    };
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\
         connection: close\r\n\r\n{text}",
        text.len()
    );
    // The login does not depend on whether the browser receives the page.
    let said = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = timeout(SLOWEST_HEAD, said).await;
    outcome
}

/// Reads the head of a request, and returns its target.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2_048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok()?;
        if read == 0 || head.len() + read > LARGEST_HEAD {
            return None;
        }
        head.extend_from_slice(&chunk[..read]);
    }
    let head = std::str::from_utf8(&head).ok()?;
    let target = head.strip_prefix("GET ")?.split(' ').next()?;
    Some(target.to_owned())
}

/// Parses the parameters of a redirect; returns `None` if they do not belong to this login.
fn read_outcome(target: &str, address: SocketAddr, state: &str) -> Option<Outcome> {
    // Only a path: an absolute URL could name another host.
    let path = target.starts_with('/').then_some(target)?;
    let url = Url::parse(&format!("http://{address}{path}")).ok()?;
    let value = |name: &str| {
        let mut values = url.query_pairs().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.into_owned());
        // A duplicate parameter is ambiguous, because parsers differ in which one they use.
        first.filter(|_| values.next().is_none())
    };
    if url.path() != PATH || !is_same(value("state")?.as_bytes(), state.as_bytes()) {
        return None;
    }
    if let Some(error) = value("error") {
        let description = value("error_description").unwrap_or_default();
        return Some(Err(Cause::new(&format!("{error} {description}"))));
    }
    Some(Ok(Answer {
        code: value("code")?,
        issuer: value("iss"),
    }))
}

/// Compares two texts in constant time.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |sum, (l, r)| sum | (l ^ r));
    left.len() == right.len() && differences == 0
}
