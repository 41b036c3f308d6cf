//! Connections: how many, how slow, and how they end.

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
use super::gate::ReachedAt;
use super::settings::Bounds;
use super::stalled::Stalled;

/// How long the head of a request may be.
const HEAD_BYTES: usize = 64 << 10;

/// How many connections are told at once that there are too many.
const TURNED_AWAY: usize = 64;

/// How long it may take to tell one.
const TURNING_AWAY: Duration = Duration::from_secs(2);

/// How long what is left has to end, once it was told to.
const LAST: Duration = Duration::from_secs(2);

/// Serves connections until it is stopped, and waits for those that are at work then.
pub(super) async fn accept<H: ServerHandler + Send>(
    listener: TcpListener,
    router: Router,
    endpoint: &Arc<Endpoint<H>>,
    bounds: &Bounds,
    stop: CancellationToken,
) {
    // Dropping the sets ends what runs in them.
    let mut connections = JoinSet::new();
    let mut unadmitted = Unadmitted::default();
    let mut turned_away = JoinSet::new();
    let mut sweep = interval(bounds.session_idle.clamp(MIN_SWEEP, MAX_SWEEP));
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _))
                    if connections.len() < bounds.connections || unadmitted.close_oldest() =>
                {
                    let admission = Admission::default();
                    let router = router.clone().layer(Extension(admission.clone()));
                    let served = connections.spawn(serve(stream, router, *bounds, stop.clone()));
                    unadmitted.push(admission, served);
                }
                Ok((stream, _)) if turned_away.len() < TURNED_AWAY => {
                    turned_away.spawn(timeout(TURNING_AWAY, turn_away(stream)));
                }
                Ok(_) => {}
                // Such as too many open files; what is open must end first.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
            Some(_) = turned_away.join_next() => {}
            _ = sweep.tick() => endpoint.end_idle_sessions().await,
        }
    }
    drop(listener);
    let _ = timeout(bounds.grace, endpoint.answered()).await;
    endpoint.end();
    let _ = timeout(LAST, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

const MIN_SWEEP: Duration = Duration::from_millis(50);

const MAX_SWEEP: Duration = Duration::from_secs(60);

async fn serve(stream: TcpStream, router: Router, bounds: Bounds, stop: CancellationToken) {
    let Ok(address) = stream.local_addr() else {
        return;
    };
    // An answer is one message, and waits for no other.
    let _ = stream.set_nodelay(true);
    let reached_at = ReachedAt(address.ip().to_canonical());
    let service = TowerToHyperService::new(router.layer(Extension(reached_at)));
    let io = TokioIo::new(Stalled::new(stream, bounds.write));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(HEAD_BYTES)
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

/// Says that there are too many connections, whatever was asked.
async fn turn_away(mut stream: TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
        content-type: text/plain; charset=utf-8\r\n\
        content-length: 48\r\n\
        retry-after: 1\r\n\
        connection: close\r\n\r\n\
        there are too many connections; come again later";
    let told = stream.write_all(ANSWER).await;
    if told.is_err() || stream.shutdown().await.is_err() {
        return;
    }
    // What is not read would break the connection off before the answer got there.
    let mut unread = [0; 4096];
    while matches!(stream.read(&mut unread).await, Ok(1..)) {}
}
