//! Runs one program in a sandbox to its end, with what it wrote.

use std::sync::Arc;
use std::time::Duration;

use super::{Command, Output};
use crate::sandbox::{
    Exit, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox, SandboxError, Signal, Stdin,
};
use crate::support::random;

/// How long one question to the sandbox waits before it is asked again.
const WAIT: Duration = Duration::from_secs(20);

/// How long output is awaited from what a program left behind, once it has ended itself.
const AFTER_EXIT: Duration = Duration::from_millis(500);

/// How many bytes of an input go to the sandbox at once.
const PIECE: usize = 64 << 10;

/// Runs a program; ends it when the future is dropped before.
pub(super) async fn run(
    sandbox: &Arc<dyn Sandbox>,
    command: Command,
) -> Result<Output, SandboxError> {
    let id = fresh_id()?;
    let Command { stdin, output, .. } = &command;
    let (spec, most) = (spec(id.clone(), &command), *output);
    let mut ending = EndOnDrop(Some((Arc::clone(sandbox), id.clone())));
    sandbox.start(spec).await?;
    let (ended, is_over) = tokio::sync::watch::channel(false);
    let exit = async {
        let exit = exit_of(&**sandbox, &id).await;
        ended.send_replace(true);
        exit
    };
    let stdout = collect(&**sandbox, &id, OutputStream::Stdout, most, is_over.clone());
    let stderr = collect(&**sandbox, &id, OutputStream::Stderr, most, is_over.clone());
    let fed = feed(&**sandbox, &id, stdin, is_over);
    let (exit, out, err, ()) = tokio::try_join!(exit, stdout, stderr, fed)?;
    ending.0 = None;
    let mut left = Output::new(exit, out.0, err.0);
    left.truncated = out.1 || err.1;
    Ok(left)
}

fn spec(id: ProcessId, command: &Command) -> ProcessSpec {
    let argv = std::iter::once(&command.program).chain(&command.args);
    let mut spec = ProcessSpec::new(id, argv);
    spec.working_folder.clone_from(&command.working_folder);
    spec.environment.clone_from(&command.environment);
    spec.access = command.access;
    spec.limits.wall_time = command.time;
    if !command.stdin.is_empty() {
        spec.stdin = Stdin::Open;
    }
    spec
}

/// Makes a name that nobody has used: a sandbox may be shared with other processes.
fn fresh_id() -> Result<ProcessId, SandboxError> {
    ProcessId::new(&format!("run-{}", random::hex::<16>()))
}

async fn exit_of(sandbox: &dyn Sandbox, id: &ProcessId) -> Result<Exit, SandboxError> {
    loop {
        if let Some(exit) = sandbox.status(id, WAIT).await?.exit {
            return Ok(exit);
        }
        // A sandbox that answers at once must not keep its thread from everybody else.
        tokio::task::yield_now().await;
    }
}

/// Reads a stream to its end, and keeps its beginning; tells whether there was more.
async fn collect(
    sandbox: &dyn Sandbox,
    id: &ProcessId,
    stream: OutputStream,
    most: usize,
    mut is_over: tokio::sync::watch::Receiver<bool>,
) -> Result<(Vec<u8>, bool), SandboxError> {
    let mut kept = Vec::new();
    let mut offset = 0;
    loop {
        let over = *is_over.borrow();
        let read = ReadOutput {
            process: id.clone(),
            stream,
            offset,
            max: most.saturating_sub(kept.len()).max(1),
            wait: if over { AFTER_EXIT } else { WAIT },
        };
        let chunk = tokio::select! {
            chunk = sandbox.read(read) => chunk?,
            // The end of the process shortens the wait for those who inherited its output.
            _ = is_over.changed(), if !over => continue,
        };
        let lost = chunk.offset > offset;
        let room = most - kept.len();
        if lost || chunk.bytes.len() > room {
            if !lost {
                kept.extend_from_slice(&chunk.bytes[..room]);
            }
            return Ok((kept, true));
        }
        offset = chunk.next();
        kept.extend_from_slice(&chunk.bytes);
        if chunk.end || (over && chunk.bytes.is_empty()) {
            return Ok((kept, false));
        }
        tokio::task::yield_now().await;
    }
}

/// Writes a program its input; one that does not want it is no mistake.
async fn feed(
    sandbox: &dyn Sandbox,
    id: &ProcessId,
    input: &[u8],
    mut is_over: tokio::sync::watch::Receiver<bool>,
) -> Result<(), SandboxError> {
    let pieces = input.len().div_ceil(PIECE);
    for (at, piece) in input.chunks(PIECE).enumerate() {
        let wrote = tokio::select! {
            wrote = sandbox.write(id, piece.to_vec(), at + 1 == pieces) => wrote,
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

/// Kills a process whose runner was dropped.
struct EndOnDrop(Option<(Arc<dyn Sandbox>, ProcessId)>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let Some((sandbox, id)) = self.0.take() else {
            return;
        };
        // Without a runtime nothing runs any more, and the sandbox ends all with its last handle.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = sandbox.signal(&id, Signal::Kill).await {
                    tracing::debug!(%id, %error, "a process that nobody waits for could not be ended");
                }
            });
        }
    }
}
