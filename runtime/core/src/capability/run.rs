//! Runs one program in a sandbox to its end and collects its output.

use std::sync::Arc;
use std::time::Duration;

use super::{Command, Output};
use crate::sandbox::{
    Child, Exit, OnDrop, OutputStream, ProcessId, ProcessSpec, Sandbox, SandboxError, Stdin,
};
use crate::support::random;

/// How long one read waits for output before the read is repeated.
const WAIT: Duration = Duration::from_secs(20);

/// How long to wait for further output of child processes after the program itself has ended.
const AFTER_EXIT: Duration = Duration::from_millis(500);

/// The number of bytes of the input that are sent to the sandbox at once.
const PIECE: usize = 64 << 10;

/// Runs a program; kills the program if the future is dropped before the program ends.
pub(super) async fn run(
    sandbox: &Arc<dyn Sandbox>,
    command: Command,
) -> Result<Output, SandboxError> {
    let spec = spec(new_process_id()?, &command);
    let Command {
        stdin,
        max_output_bytes: output,
        ..
    } = &command;
    let mut child = Child::spawn(sandbox, spec, OnDrop::Kill).await?;
    let (ended, is_over) = tokio::sync::watch::channel(false);
    let end = async {
        let status = child.wait().await;
        ended.send_replace(true);
        status
    };
    let stdout = collect(&child, OutputStream::Stdout, *output, is_over.clone());
    let stderr = collect(&child, OutputStream::Stderr, *output, is_over.clone());
    let fed = write_stdin(&child, stdin, is_over);
    let (status, out, err, ()) = tokio::try_join!(end, stdout, stderr, fed)?;
    child.detach();
    let mut left = Output::new(status.exit.unwrap_or(Exit::Lost), out.0, err.0);
    left.truncated = out.1 || err.1;
    Ok(left)
}

fn spec(id: ProcessId, command: &Command) -> ProcessSpec {
    let argv = std::iter::once(&command.program).chain(&command.args);
    let mut spec = ProcessSpec::new(id, argv);
    spec.working_folder.clone_from(&command.working_folder);
    spec.environment.clone_from(&command.environment);
    spec.access = command.access;
    spec.limits.wall_time = command.timeout;
    if !command.stdin.is_empty() {
        spec.stdin = Stdin::Open;
    }
    spec
}

/// Generates a unique process id, because a sandbox may be shared between processes.
fn new_process_id() -> Result<ProcessId, SandboxError> {
    ProcessId::new(&format!("run-{}", random::hex::<16>()))
}

/// Reads a stream to its end, and keeps its beginning; returns whether the stream had more bytes than are
/// kept.
async fn collect(
    child: &Child,
    stream: OutputStream,
    most: usize,
    mut is_over: tokio::sync::watch::Receiver<bool>,
) -> Result<(Vec<u8>, bool), SandboxError> {
    let mut output = child.output(stream, 0);
    let mut kept = Vec::new();
    loop {
        let over = *is_over.borrow();
        let wait = if over { AFTER_EXIT } else { WAIT };
        let max = most.saturating_sub(kept.len()).max(1);
        let chunk = tokio::select! {
            chunk = output.read(max, wait) => chunk?,
            // The end of the process limits the wait for child processes that inherited its output.
            _ = is_over.changed(), if !over => continue,
        };
        let room = most - kept.len();
        if chunk.missed > 0 {
            return Ok((kept, true));
        }
        if chunk.bytes.len() > room {
            kept.extend_from_slice(&chunk.bytes[..room]);
            return Ok((kept, true));
        }
        kept.extend_from_slice(&chunk.bytes);
        if chunk.end || (over && chunk.bytes.is_empty()) {
            return Ok((kept, false));
        }
        tokio::task::yield_now().await;
    }
}

/// Writes the input of a program; a program that does not read its input is no error.
async fn write_stdin(
    child: &Child,
    input: &[u8],
    mut is_over: tokio::sync::watch::Receiver<bool>,
) -> Result<(), SandboxError> {
    let pieces = input.len().div_ceil(PIECE);
    for (at, piece) in input.chunks(PIECE).enumerate() {
        let wrote = tokio::select! {
            wrote = child.write(piece.to_vec(), at + 1 == pieces) => wrote,
            _ = is_over.wait_for(|over| *over) => return Ok(()),
        };
        match wrote {
            Ok(()) => {}
            Err(SandboxError::InputClosed { .. }) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
