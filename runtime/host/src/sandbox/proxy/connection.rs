//! One connection from inside the sandbox.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::dial::dial;
use super::forward::{self, forward};
use super::idle::IdleTimeoutStream;
use super::response::{Body, refusal_response, tunnel_opened_response};
use super::shared::ProxyState;
use super::tunnel::{Tunnel, TunnelKind};
use helve_core::network::{Host, HostRefusal, HostRefusalReason};
use helve_core::support::lock::Mutex;

/// The greatest number of connections that are served at once; more wait in the listener's backlog.
const CONNECTIONS: usize = 128;

/// The time limit for the head of a request.
const HEAD: Duration = Duration::from_secs(20);

/// The size limit of the head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// Accepts and serves connections while the future is polled.
pub(super) async fn accept(listener: TcpListener, shared: Arc<ProxyState>) {
    // Dropping the set ends its connections.
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= CONNECTIONS {
            connections.join_next().await;
        }
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&shared)));
                }
                // The cause, such as too many open files, passes when other connections end.
                Err(error) => {
                    tracing::debug!(%error, "the sandbox's proxy could not take a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<ProxyState>) {
    let asked: Mutex<Option<Tunnel>> = Mutex::new(None);
    let service = service_fn(|request| async {
        let response = answer(request, &shared, &asked).await;
        Ok::<_, Infallible>(response)
    });
    let io = TokioIo::new(IdleTimeoutStream::new(stream));
    let served = builder().serve_connection(io, service).with_upgrades();
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection to the sandbox's proxy ended");
    }
    if let Some(tunnel) = asked.into_inner() {
        tunnel.run(&shared).await;
    }
}

/// Serves the requests inside a tunnel, all to one host.
pub(super) async fn serve_requests(client: Upgraded, shared: &ProxyState, host: &Host, port: u16) {
    let service = service_fn(|request| async {
        let response = match forward::request_origin(&request, host, port) {
            Ok(()) => forward(request, shared, host, port).await,
            Err(response) => *response,
        };
        Ok::<_, Infallible>(response)
    });
    if let Err(error) = builder().serve_connection(client, service).await {
        tracing::debug!(%error, "a tunnel of the sandbox's proxy ended");
    }
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .half_close(false);
    builder
}

async fn answer(
    mut request: Request<Incoming>,
    shared: &ProxyState,
    asked: &Mutex<Option<Tunnel>>,
) -> Response<Body> {
    if request.method() != Method::CONNECT {
        return match forward::request_target(&request) {
            Ok((host, port)) => forward(request, shared, &host, port).await,
            Err(response) => *response,
        };
    }
    let authority = request.uri().authority().map_or("", |a| a.as_str());
    let Some((host, port)) = Host::parse_authority(authority, None) else {
        let refusal = HostRefusal::new(authority, HostRefusalReason::InvalidHost);
        return *refusal_response(&refusal);
    };
    let kind = if port == 80 {
        if let Err(refusal) = shared.judge(&host, port) {
            shared.gate.record_refusal(&refusal.to_string());
            return *refusal_response(&refusal);
        }
        TunnelKind::Requests
    } else {
        match dial(shared, &host, port).await {
            Ok(server) => TunnelKind::Bytes(server),
            Err(response) => return *response,
        }
    };
    let tunnel = Tunnel {
        upgrade: hyper::upgrade::on(&mut request),
        host,
        port,
        kind,
    };
    *asked.lock() = Some(tunnel);
    tunnel_opened_response()
}
