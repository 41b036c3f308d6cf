//! Accepts connections, limits their number and their time, and shuts them down.

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::ServerHandler;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::admission::{Admission, Unadmitted};
use super::endpoint::Endpoint;
use super::extensions::LocalAddress;
use super::settings::HttpLimits;
use super::write_timeout::WriteTimeoutStream;

const MAX_HEAD_BYTES: usize = 64 << 10;

/// The number of connections that are rejected with a response at once; further ones are closed without a response.
const MAX_REJECTIONS: usize = 64;

/// How long the rejection of a connection may take.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(2);

/// How long connections may take to close after the grace period.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves connections until `stop` is cancelled, and then waits for the running requests.
pub(super) async fn accept<H: ServerHandler + Send>(
    listener: TcpListener,
    router: Router,
    endpoint: &Arc<Endpoint<H>>,
    limits: &HttpLimits,
    stop: CancellationToken,
) {
    // Dropping a set aborts its tasks.
    let mut connections = JoinSet::new();
    let mut unadmitted = Unadmitted::default();
    let mut rejections = JoinSet::new();
    let mut sweep = interval(limits.session_idle.clamp(MIN_SWEEP, MAX_SWEEP));
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _))
                    if connections.len() < limits.connections || unadmitted.close_oldest() =>
                {
                    let admission = Admission::default();
                    let router = router.clone().layer(Extension(admission.clone()));
                    let served = connections.spawn(serve(stream, router, *limits, stop.clone()));
                    unadmitted.push(admission, served);
                }
                Ok((stream, _)) if rejections.len() < MAX_REJECTIONS => {
                    rejections.spawn(timeout(REJECTION_TIMEOUT, reject(stream)));
                }
                Ok(_) => {}
                // For example too many open files: a pause lets connections close first.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
            Some(_) = rejections.join_next() => {}
            _ = sweep.tick() => endpoint.end_idle_sessions().await,
        }
    }
    drop(listener);
    let _ = timeout(limits.grace, endpoint.wait_for_responses()).await;
    endpoint.end_sessions();
    let _ = timeout(CLOSE_TIMEOUT, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

/// The least interval between two searches for idle sessions.
const MIN_SWEEP: Duration = Duration::from_millis(50);

/// The greatest interval between two searches for idle sessions.
const MAX_SWEEP: Duration = Duration::from_secs(60);

async fn serve(stream: TcpStream, router: Router, limits: HttpLimits, stop: CancellationToken) {
    let Ok(address) = stream.local_addr() else {
        return;
    };
    // A response is one message, which need not wait for another.
    let _ = stream.set_nodelay(true);
    let local_address = LocalAddress(address.ip().to_canonical());
    let service = TowerToHyperService::new(router.layer(Extension(local_address)));
    let io = TokioIo::new(WriteTimeoutStream::new(stream, limits.write));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(MAX_HEAD_BYTES)
        .half_close(false);
    let mut served = std::pin::pin!(builder.serve_connection(io, service));
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Responds that there are too many connections, without reading the request.
async fn reject(mut stream: TcpStream) {
    const RESPONSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
        content-type: text/plain; charset=utf-8\r\n\
        content-length: 48\r\n\
        retry-after: 1\r\n\
        connection: close\r\n\r\n\
        there are too many connections; come again later";
    let sent = stream.write_all(RESPONSE).await;
    if sent.is_err() || stream.shutdown().await.is_err() {
        return;
    }
    // Closing a connection with unread bytes resets it, and the client may lose the response.
    let mut unread = [0; 4096];
    while matches!(stream.read(&mut unread).await, Ok(1..)) {}
}
