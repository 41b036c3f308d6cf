//! A tunnel: a connection whose bytes are passed through.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, copy, split};
use tokio::time::timeout;

use super::connection;
use super::idle::IdleTimeoutStream;
use super::server_name::{self, HANDSHAKE, UNRECOGNIZED_NAME};
use super::shared::ProxyState;
use helve_core::network::Host;

/// The time limit for the first bytes of a client in a tunnel.
const FIRST_MESSAGE: Duration = Duration::from_secs(20);

pub(super) struct Tunnel {
    pub(super) upgrade: OnUpgrade,
    pub(super) host: Host,
    pub(super) port: u16,
    pub(super) kind: TunnelKind,
}

pub(super) enum TunnelKind {
    /// Requests without TLS, which are handled like all other requests.
    Requests,
    /// Any other bytes; on the port of TLS, TLS is required.
    Bytes(IdleTimeoutStream),
}

impl Tunnel {
    /// Serves the tunnel until it ends.
    pub(super) async fn run(self, shared: &Arc<ProxyState>) {
        let Self { host, port, .. } = self;
        let Ok(client) = self.upgrade.await else {
            return;
        };
        let ended = match self.kind {
            TunnelKind::Requests => {
                connection::serve_requests(client, shared, &host, port).await;
                Ok(())
            }
            TunnelKind::Bytes(server) => forward_bytes(client, server, shared, &host, port).await,
        };
        if let Err(error) = ended {
            tracing::debug!(%host, port, %error, "a tunnel of the sandbox's proxy ended");
        }
    }
}

async fn forward_bytes(
    client: Upgraded,
    server: IdleTimeoutStream,
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> io::Result<()> {
    let (from_client, mut to_client) = split(TokioIo::new(client));
    let (mut from_server, to_server) = split(server);
    let (refused, refusal) = tokio::sync::oneshot::channel();
    let out = async {
        let sent = send(from_client, to_server, shared, host, port).await;
        match &sent {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let _ = refused.send(());
            }
            _ => drop(refused),
        }
        // The other direction reports a refusal to the client, and then ends the tunnel.
        sent.or_else(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        })
    };
    let back = async {
        let mut is_refused = false;
        {
            let copying = copy(&mut from_server, &mut to_client);
            tokio::pin!(copying);
            tokio::select! {
                copied = &mut copying => { copied?; }
                refused = refusal => match refused {
                    Ok(()) => is_refused = true,
                    Err(_) => { copying.await?; }
                },
            }
        }
        if is_refused {
            to_client.write_all(&UNRECOGNIZED_NAME).await?;
        }
        to_client.shutdown().await
    };
    tokio::try_join!(out, back).map(|_| ())
}

/// Forwards the bytes of the client, after its first message was checked.
async fn send(
    mut client: ReadHalf<TokioIo<Upgraded>>,
    mut server: WriteHalf<IdleTimeoutStream>,
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> io::Result<()> {
    let mut first = Vec::with_capacity(2048);
    let judged = check_server_name(&mut client, &mut first, shared, host, port);
    if port == 443 {
        let in_time = timeout(FIRST_MESSAGE, judged).await;
        in_time.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    } else {
        // On other ports the server may send first.
        judged.await?;
    }
    server.write_all(&first).await?;
    copy(&mut client, &mut server).await?;
    server.shutdown().await
}

/// Reads the first message and rejects a message that requests another host.
async fn check_server_name(
    client: &mut ReadHalf<TokioIo<Upgraded>>,
    first: &mut Vec<u8>,
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> io::Result<()> {
    client.read_buf(first).await?;
    let is_tls = first.first() == Some(&HANDSHAKE);
    if !is_tls && (port != 443 || first.is_empty()) {
        return Ok(());
    }
    let refuse = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    let Ok(name) = server_name::read(client, first).await else {
        return refuse("the connection to port 443 does not use TLS");
    };
    match (name, host) {
        (Some(name), host) if name == *host => Ok(()),
        (None, Host::Address(_)) => Ok(()),
        // A client that connects to an address may request a host that the policy allows.
        (Some(name), Host::Address(_)) if shared.policy.judge(&name, port).is_ok() => Ok(()),
        (Some(_), _) => refuse("the TLS server name differs from the host of the tunnel"),
        (None, Host::Name(_)) => refuse("the TLS client hello has no server name"),
    }
}
