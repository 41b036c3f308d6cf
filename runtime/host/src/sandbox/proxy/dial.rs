//! Connects to the addresses that were checked, and to no others.

use std::io;
use std::time::Duration;

use hyper::StatusCode;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::idle::IdleTimeoutStream;
use super::response::{ErrorResponse, error_response, refusal_response};
use super::shared::{ProxyState, Refused};
use helve_core::network::{Destination, Host};

/// The time limit for connecting to one address.
const CONNECT: Duration = Duration::from_secs(10);

/// Checks a host and connects to it; the error is the response for the client.
pub(super) async fn dial(
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> Result<IdleTimeoutStream, ErrorResponse> {
    // This precedes name resolution, which itself discloses the name to the name servers of its domain.
    let admitted = shared.admit(host, port).await;
    let policy = admitted.map_err(|refused| refused_response(&refused))?;
    let reached = policy.resolve(host, port, &*shared.resolver).await;
    let destination =
        reached.map_err(|refusal| refused_response(&shared.refuse(Refused::Policy(refusal))))?;
    shared.gate.record_reached(&host.to_string());
    match connect(&destination).await {
        Ok(stream) => Ok(IdleTimeoutStream::new(stream)),
        Err(error) => {
            let why = format!("`{host}` is allowed, but does not answer on port {port}: {error}");
            let status = StatusCode::BAD_GATEWAY;
            Err(error_response(status, "destination_unavailable", &why))
        }
    }
}

fn refused_response(refused: &Refused) -> ErrorResponse {
    match refused {
        Refused::Policy(refusal) => refusal_response(refusal),
        Refused::Gate(why) => error_response(StatusCode::FORBIDDEN, "http_request_denied", why),
    }
}

async fn connect(destination: &Destination) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in &destination.addresses {
        match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}
