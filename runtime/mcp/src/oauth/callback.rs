//! The end of a login: the browser comes back to an address of this machine.

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

/// How many connections are read at the same time; a browser opens a few before it needs them.
const MOST_CONNECTIONS: usize = 16;

/// How large a request may be, and how long it may take.
const LARGEST_HEAD: usize = 16 * 1024;
const SLOWEST_HEAD: Duration = Duration::from_secs(10);

/// Where the browser comes back to.
const PATH: &str = "/callback";

/// Waits for the browser to come back.
#[derive(Debug)]
pub(super) struct CallbackListener {
    socket: TcpListener,
    address: SocketAddr,
}

/// What the authorization server gave the browser.
pub(super) struct Answer {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

/// What one request came with: the answer that is waited for, or a no.
type Outcome = Result<Answer, Cause>;

impl CallbackListener {
    /// Listens on a port of the loopback interface, 0 for any that is free.
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

    /// Returns the address that the browser is to come back to.
    pub(super) fn redirect_uri(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the answer that carries this state. What comes without it is turned away and ends nothing: any page
    /// in the user's browser can send a request here.
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
                    // An error is of that connection alone, or passes: too many open files.
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
    // Whether the browser gets the answer changes nothing.
    let said = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = timeout(SLOWEST_HEAD, said).await;
    outcome
}

/// Reads the head of a request and returns what it asks for.
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

/// Reads what the authorization server gave; `None` where it is not the answer to this login.
fn read_outcome(target: &str, address: SocketAddr, state: &str) -> Option<Outcome> {
    // Only a path: an absolute address would be another one's.
    let path = target.starts_with('/').then_some(target)?;
    let url = Url::parse(&format!("http://{address}{path}")).ok()?;
    let value = |name: &str| {
        let mut values = url.query_pairs().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.into_owned());
        // Twice the same name is read in one way here and in another there.
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

/// Compares without telling through its time how much is the same.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |sum, (l, r)| sum | (l ^ r));
    left.len() == right.len() && differences == 0
}
