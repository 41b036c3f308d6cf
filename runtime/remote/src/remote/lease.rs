//! The lease that keeps a remote sandbox alive: this process renews it periodically.

use std::io;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::host::{RemoteHost, arg, nonce};
use super::transport::{
    CommandEvent, CommandPipe, CommandStream, RunningCommand, unreachable_error,
};

/// The renewal interval.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);

/// The time limit of the first and of the last reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(30);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A lease of a sandbox. Dropping the lease releases it; the lease of a process that dies expires.
#[derive(Debug)]
pub(crate) struct HostLease {
    release: CancellationToken,
}

impl Drop for HostLease {
    fn drop(&mut self) {
        self.release.cancel();
    }
}

impl HostLease {
    /// Acquires a lease of a sandbox, and waits until the remote host has confirmed it.
    pub(crate) async fn acquire(host: &RemoteHost) -> io::Result<Self> {
        let release = CancellationToken::new();
        let (held, first) = oneshot::channel();
        let (host, name, token) = (host.clone(), nonce(), release.clone());
        tokio::spawn(async move { hold_lease(&host, &name, &token, held).await });
        match tokio::time::timeout(REPLY_TIMEOUT, first).await {
            Ok(Ok(held)) => held.map(|()| Self { release }),
            Ok(Err(_)) => Err(unreachable_error(
                "the lease was released while it was being acquired",
            )),
            Err(_) => {
                release.cancel();
                Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the sandbox did not answer in time",
                ))
            }
        }
    }
}

/// Holds a lease until it is released; reconnects if the connection breaks.
async fn hold_lease(
    host: &RemoteHost,
    name: &str,
    release: &CancellationToken,
    held: oneshot::Sender<io::Result<()>>,
) {
    let mut held = Some(held);
    loop {
        let ended = hold_connection(host, name, release, &mut held).await;
        if release.is_cancelled() {
            return;
        }
        match (ended, held.take()) {
            (Err(error), Some(held)) => {
                let _ = held.send(Err(error));
                return;
            }
            // The sandbox does not exist any more, and no process can hold its lease.
            (Err(error), None) if error.kind() == io::ErrorKind::NotFound => return,
            _ => {}
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = release.cancelled() => return,
        }
    }
}

/// Holds a lease over one connection.
async fn hold_connection(
    host: &RemoteHost,
    name: &str,
    release: &CancellationToken,
    held: &mut Option<oneshot::Sender<io::Result<()>>>,
) -> io::Result<()> {
    let command = host.command(&[arg("hold"), arg(name)]);
    let RunningCommand {
        mut input,
        mut output,
    } = host.transport().run(&command).await?;
    let mut beat = tokio::time::interval(RENEW_INTERVAL);
    loop {
        tokio::select! {
            () = release.cancelled() => {
                return send_release(&mut input, &mut output).await;
            }
            piece = output.next() => match piece {
                Some(Ok(CommandEvent::Stdout(_))) => {
                    if let Some(held) = held.take() {
                        let _ = held.send(Ok(()));
                    }
                }
                Some(Ok(CommandEvent::Stderr(_))) => {}
                Some(Ok(CommandEvent::Exit(code))) => {
                    // `sh` exits with 2 or 127 when its script does not exist any more.
                    let kind = if code == 0 { io::ErrorKind::ConnectionAborted } else { io::ErrorKind::NotFound };
                    return Err(io::Error::new(kind, "the sandbox has ended"));
                }
                Some(Err(error)) => return Err(error),
                None => return Err(unreachable_error("the connection ended")),
            },
            _ = beat.tick() => input.write_all(b"\n").await?,
        }
    }
}

/// Sends an explicit release, so that the sandbox does not linger.
async fn send_release(input: &mut CommandPipe, output: &mut CommandStream) -> io::Result<()> {
    input.write_all(b"bye\n").await?;
    input.flush().await?;
    let answered = async { while let Some(Ok(_)) = output.next().await {} };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, answered).await;
    Ok(())
}
