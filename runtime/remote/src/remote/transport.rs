//! The transport of commands to the remote host; all other operations are built on it.

use std::fmt::Debug;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Runs commands of a POSIX shell on another host.
pub(crate) trait Transport: Send + Sync + Debug {
    /// Starts a command.
    ///
    /// An error of the kind `NotFound` means that the sandbox does not exist any more, `ConnectionAborted` that it
    /// cannot be reached now.
    fn run<'a>(&'a self, command: &'a str) -> BoxFuture<'a, io::Result<RunningCommand>>;
}

pub(crate) type CommandPipe = Pin<Box<dyn AsyncWrite + Send>>;

/// The output of a command, then its exit. A stream that ends without an exit was interrupted.
pub(crate) type CommandStream = BoxStream<'static, io::Result<CommandEvent>>;

pub(crate) struct RunningCommand {
    pub(crate) input: CommandPipe,
    pub(crate) output: CommandStream,
}

#[derive(Debug)]
pub(crate) enum CommandEvent {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Exit(i32),
}

pub(crate) enum CommandInput {
    Bytes(Vec<u8>),
    /// Parts that are produced while the command runs; an error aborts the command.
    Parts(mpsc::Receiver<io::Result<Vec<u8>>>),
}

#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) stdout: Vec<u8>,
    /// The start of the standard error, for messages.
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// The greatest number of bytes of the standard error that are kept.
const ERROR_LIMIT: usize = 2_000;

/// Runs a command to its end within a deadline; output beyond `limit` bytes is an error.
pub(crate) async fn run_to_end(
    transport: &dyn Transport,
    command: &str,
    input: CommandInput,
    limit: usize,
    deadline: Duration,
) -> io::Result<CommandOutput> {
    let whole = async {
        let running = transport.run(command).await?;
        let feed = write_input(running.input, input);
        let gather = collect_output(running.output, limit);
        tokio::pin!(feed, gather);
        // A command may reply before the end of the input, and does not need the rest then.
        tokio::select! {
            biased;
            answer = &mut gather => answer,
            fed = &mut feed => { fed?; gather.await }
        }
    };
    let answer = tokio::time::timeout(deadline, whole).await;
    answer.unwrap_or_else(|_| {
        let why = format!("no reply within {} s", deadline.as_secs());
        Err(io::Error::new(io::ErrorKind::TimedOut, why))
    })
}

/// Forwards the input. Only a failure of its source is an error: the command may have read enough.
async fn write_input(mut pipe: CommandPipe, input: CommandInput) -> io::Result<()> {
    match input {
        CommandInput::Bytes(bytes) => {
            if pipe.write_all(&bytes).await.is_err() {
                return Ok(());
            }
        }
        CommandInput::Parts(mut parts) => {
            while let Some(part) = parts.recv().await {
                if pipe.write_all(&part?).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
    let _ = pipe.shutdown().await;
    // The pipe stays open until the reply arrives: closing one direction of a connection may close the other.
    std::future::pending::<()>().await;
    Ok(())
}

async fn collect_output(mut pieces: CommandStream, limit: usize) -> io::Result<CommandOutput> {
    let (mut output, mut error) = (Vec::new(), Vec::new());
    while let Some(piece) = pieces.next().await {
        match piece? {
            CommandEvent::Stdout(bytes) => {
                if output.len() + bytes.len() > limit {
                    return Err(invalid_data("the reply is larger than requested"));
                }
                output.extend_from_slice(&bytes);
            }
            CommandEvent::Stderr(bytes) => {
                let room = ERROR_LIMIT - error.len();
                error.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            CommandEvent::Exit(code) => {
                let error = String::from_utf8_lossy(&error).trim().to_owned();
                return Ok(CommandOutput {
                    stdout: output,
                    stderr: error,
                    code,
                });
            }
        }
    }
    Err(unreachable_error(
        "the connection closed before the reply was complete",
    ))
}

pub(crate) fn unreachable_error(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, why.into())
}

pub(crate) fn invalid_data(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}
