//! How a command gets to the other side and its answer back; everything else is built on it.

use std::fmt::Debug;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Runs commands of a POSIX shell somewhere else.
pub(crate) trait Transport: Send + Sync + Debug {
    /// Starts a command.
    ///
    /// An error of the kind `NotFound` says that the sandbox is gone, `ConnectionAborted` that it cannot be reached now.
    fn run<'a>(&'a self, command: &'a str) -> BoxFuture<'a, io::Result<RunningCommand>>;
}

/// A command that runs on the other side.
pub(crate) struct RunningCommand {
    /// Its standard input; shutting it down is its end.
    pub(crate) input: Pin<Box<dyn AsyncWrite + Send>>,
    /// What it writes, then how it ends. A stream that ends without that was cut off.
    pub(crate) output: Pin<Box<dyn Stream<Item = io::Result<CommandEvent>> + Send>>,
}

/// Something that a command on the other side did.
#[derive(Debug)]
pub(crate) enum CommandEvent {
    /// It wrote to its standard output.
    Stdout(Vec<u8>),
    /// It wrote to its standard error.
    Stderr(Vec<u8>),
    /// It ended.
    Exit(i32),
}

/// What a command reads on the other side.
pub(crate) enum CommandInput {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Parts that are read or made meanwhile; an error cuts the command off.
    Parts(mpsc::Receiver<io::Result<Vec<u8>>>),
}

/// What a command answered.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    /// All that it wrote to its standard output.
    pub(crate) stdout: Vec<u8>,
    /// The start of what it wrote to its standard error, for messages.
    pub(crate) stderr: String,
    /// How it ended.
    pub(crate) code: i32,
}

/// How much is kept of what a command writes to its standard error.
const ERROR_LIMIT: usize = 2_000;

/// Runs a command to its end, for at most so long, and keeps at most so many bytes of its output.
pub(crate) async fn run_to_end(
    transport: &dyn Transport,
    command: &str,
    input: CommandInput,
    limit: usize,
    deadline: Duration,
) -> io::Result<CommandOutput> {
    let whole = async {
        let RunningCommand {
            input: pipe,
            output,
        } = transport.run(command).await?;
        let feed = write_input(pipe, input);
        let gather = collect_output(output, limit);
        tokio::pin!(feed, gather);
        // A command that answers before the end of the input does not want the rest.
        tokio::select! {
            biased;
            answer = &mut gather => answer,
            fed = &mut feed => { fed?; gather.await }
        }
    };
    match tokio::time::timeout(deadline, whole).await {
        Ok(answer) => answer,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("no reply within {} s", deadline.as_secs()),
        )),
    }
}

/// Passes the input on. Only a failure of where it comes from is an error: the other side may have read enough.
async fn write_input(
    mut pipe: Pin<Box<dyn AsyncWrite + Send>>,
    input: CommandInput,
) -> io::Result<()> {
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
    // The pipe stays open until the answer is there: a connection may be one thing in both directions.
    std::future::pending::<()>().await;
    Ok(())
}

async fn collect_output(
    mut pieces: Pin<Box<dyn Stream<Item = io::Result<CommandEvent>> + Send>>,
    limit: usize,
) -> io::Result<CommandOutput> {
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

/// Makes the error of an unreachable remote host.
pub(crate) fn unreachable_error(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, why.into())
}

/// Makes the error of a malformed reply of the remote host.
pub(crate) fn invalid_data(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}
