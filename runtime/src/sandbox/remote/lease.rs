//! What keeps a sandbox alive on the other side: somebody here who says so again and again.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::host::{RemoteHost, arg};
use super::id::nonce;
use super::transport::{Piece, Running, lost};

/// How often the lease is renewed.
const RENEW: Duration = Duration::from_secs(5);

/// How long a first answer may take, and the last one.
const ANSWER: Duration = Duration::from_secs(30);
const FAREWELL: Duration = Duration::from_secs(5);

/// A hold on a sandbox. It is let go when this is dropped; a process that dies lets go, too, by its silence.
#[derive(Debug)]
pub(in crate::sandbox) struct Lease {
    release: CancellationToken,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.release.cancel();
    }
}

impl Lease {
    /// Takes hold of a sandbox, and waits until the other side has said so.
    pub(in crate::sandbox) async fn take(host: &RemoteHost) -> io::Result<Self> {
        let release = CancellationToken::new();
        let (held, first) = oneshot::channel();
        let (host, name, token) = (host.clone(), nonce(), release.clone());
        tokio::spawn(async move { hold(&host, &name, &token, held).await });
        match tokio::time::timeout(ANSWER, first).await {
            Ok(Ok(held)) => held.map(|()| Self { release }),
            Ok(Err(_)) => Err(lost("the sandbox was let go while it was taken")),
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

/// Holds a sandbox until it is released, through connections that break.
async fn hold(
    host: &RemoteHost,
    name: &str,
    release: &CancellationToken,
    held: oneshot::Sender<io::Result<()>>,
) {
    let mut held = Some(held);
    loop {
        let ended = once(host, name, release, &mut held).await;
        if release.is_cancelled() {
            return;
        }
        match (ended, held.take()) {
            (Err(error), Some(held)) => {
                let _ = held.send(Err(error));
                return;
            }
            // The sandbox is gone, and nobody can hold it any more.
            (Err(error), None) if error.kind() == io::ErrorKind::NotFound => return,
            _ => {}
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = release.cancelled() => return,
        }
    }
}

/// Holds a sandbox over one connection.
async fn once(
    host: &RemoteHost,
    name: &str,
    release: &CancellationToken,
    held: &mut Option<oneshot::Sender<io::Result<()>>>,
) -> io::Result<()> {
    let command = host.command(&[arg("hold"), arg(name)]);
    let Running {
        mut input,
        mut output,
    } = host.transport().run(&command).await?;
    let mut beat = tokio::time::interval(RENEW);
    loop {
        tokio::select! {
            () = release.cancelled() => {
                return say_bye(&mut input, &mut output).await;
            }
            piece = output.next() => match piece {
                Some(Ok(Piece::Output(_))) => {
                    if let Some(held) = held.take() {
                        let _ = held.send(Ok(()));
                    }
                }
                Some(Ok(Piece::Error(_))) => {}
                Some(Ok(Piece::Exit(code))) => {
                    // `sh` says with 2 or 127 that its script is not there any more.
                    let kind = if code == 0 { io::ErrorKind::ConnectionAborted } else { io::ErrorKind::NotFound };
                    return Err(io::Error::new(kind, "the sandbox has ended"));
                }
                Some(Err(error)) => return Err(error),
                None => return Err(lost("the connection ended")),
            },
            _ = beat.tick() => input.write_all(b"\n").await?,
        }
    }
}

/// Lets go in so many words, so that the sandbox does not linger.
async fn say_bye(
    input: &mut Pin<Box<dyn AsyncWrite + Send>>,
    output: &mut Pin<Box<dyn Stream<Item = io::Result<Piece>> + Send>>,
) -> io::Result<()> {
    input.write_all(b"bye\n").await?;
    input.flush().await?;
    let answered = async { while let Some(Ok(_)) = output.next().await {} };
    let _ = tokio::time::timeout(FAREWELL, answered).await;
    Ok(())
}
