//! Connects to the addresses that were checked, and to no others.

use std::io;
use std::time::Duration;

use hyper::StatusCode;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::idle::IdleTimeoutStream;
use super::response::{ErrorResponse, error_response, refusal_response};
use super::shared::ProxyState;
use helve_core::network::{Destination, Host};

/// The time limit for connecting to one address.
const CONNECT: Duration = Duration::from_secs(10);

/// Checks a host and connects to it; the error is the response for the client.
pub(super) async fn dial(
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> Result<IdleTimeoutStream, ErrorResponse> {
    let judged = shared.policy.judge(host, port);
    judged.map_err(|refusal| refusal_response(&refusal))?;
    let even_tainted = shared.policy.is_even_tainted(host, port);
    let name = host.to_string();
    // This precedes name resolution, which itself discloses the name to the name servers of its domain.
    let held = shared.gate.wait_for_approval(&name, port, even_tainted);
    if let Err(why) = held.await {
        let (status, error) = (StatusCode::FORBIDDEN, "http_request_denied");
        return Err(error_response(status, error, &why));
    }
    let reached = shared.policy.resolve(host, port, &*shared.resolver).await;
    let destination = reached.map_err(|refusal| refusal_response(&refusal))?;
    shared.gate.record_reached(&name);
    match connect(&destination).await {
        Ok(stream) => Ok(IdleTimeoutStream::new(stream)),
        Err(error) => {
            let why = format!("`{host}` is allowed, but does not answer on port {port}: {error}");
            let status = StatusCode::BAD_GATEWAY;
            Err(error_response(status, "destination_unavailable", &why))
        }
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
