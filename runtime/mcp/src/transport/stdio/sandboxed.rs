//! A server's program in the sandbox.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::environment;
use crate::StdioServer;
use crate::transport::Fault;
use crate::transport::lines::Lines;
use crate::transport::pipe::{self, OutgoingMessage, Pipe, PipeGuard};
use helve_core::sandbox::{
    Child, LazySandbox, OnDrop, OutputStream, ProcessId, ProcessSpec, SandboxError, Signal, Stdin,
};

/// The number of bytes of the program's output that are read at once.
const READ_SIZE: usize = 256 << 10;
/// How long a program may take to exit after its input was closed.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Clone)]
struct Program {
    child: Arc<Child>,
    fault: Arc<Fault>,
}

/// Starts a program in the sandbox and returns its transport.
pub(super) async fn start(
    server: &StdioServer,
    sandbox: &LazySandbox,
    fault: &Arc<Fault>,
) -> Result<Pipe, String> {
    let failed = |error: SandboxError| format!("the sandbox failed to run the process: {error}");
    let sandbox = sandbox.get().await.map_err(failed)?;
    let id = fresh_id().map_err(failed)?;
    let argv = std::iter::once(&server.command).chain(&server.arguments);
    let mut spec = ProcessSpec::new(id, argv);
    spec.stdin = Stdin::Open;
    spec.working_folder.clone_from(&server.folder);
    let own = environment::own(server).into_iter();
    spec.environment = own
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let child = Child::spawn(sandbox, spec, OnDrop::Kill).await;
    let mut child = child.map_err(failed)?;
    // From here on, `Program::keep` ends the process.
    child.detach();
    fault.started();
    let program = Program {
        child: Arc::new(child),
        fault: Arc::clone(fault),
    };
    let (outgoing, queue) = mpsc::unbounded_channel();
    let (found, incoming) = mpsc::channel(pipe::WAITING);
    tokio::spawn(program.clone().write(queue));
    tokio::spawn(program.clone().read(found));
    tokio::spawn(program.clone().listen());
    let kill = CancellationToken::new();
    let guard = PipeGuard {
        closing: CancellationToken::new(),
        kill: kill.clone().drop_guard(),
        ended: CancellationToken::new(),
    };
    tokio::spawn(program.keep(guard.closing.clone(), kill, guard.ended.clone()));
    Ok(Pipe::new(incoming, outgoing, Some(guard)))
}

fn fresh_id() -> Result<ProcessId, SandboxError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    ProcessId::new(&format!("mcp-{}-{number}", std::process::id()))
}

impl Program {
    async fn write(self, mut queue: mpsc::UnboundedReceiver<OutgoingMessage>) {
        while let Some((line, told)) = queue.recv().await {
            let written = self.child.write(line, false).await;
            let failed = written.is_err();
            let _ = told.send(written.map_err(std::io::Error::other));
            if failed {
                return;
            }
        }
        let _ = self.child.write(Vec::new(), true).await;
    }

    async fn read(self, found: mpsc::Sender<ServerJsonRpcMessage>) {
        let mut lines = Lines::default();
        let mut stdout = self.child.output(OutputStream::Stdout, 0);
        loop {
            let chunk = tokio::select! {
                biased;
                () = found.closed() => return,
                chunk = stdout.next(READ_SIZE) => chunk,
            };
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) => {
                    self.fault
                        .note(format!("its output cannot be read: {error}"));
                    return;
                }
            };
            if chunk.missed > 0 {
                self.fault
                    .note("it wrote faster than it could be read, and a part is lost");
                return;
            }
            if !pipe::take(&mut lines, &chunk.bytes, &found, &self.fault).await || chunk.end {
                return;
            }
        }
    }

    async fn listen(self) {
        let mut lines = Lines::default();
        let mut stderr = self.child.output(OutputStream::Stderr, 0);
        while let Ok(chunk) = stderr.next(READ_SIZE).await {
            if lines.push(&chunk.bytes).is_err() {
                return;
            }
            while let Some(line) = lines.next() {
                let line = String::from_utf8_lossy(&line);
                self.fault.record_line(&line);
            }
            if chunk.end {
                return;
            }
        }
    }

    /// Supervises the program until it has exited.
    async fn keep(
        self,
        closing: CancellationToken,
        kill: CancellationToken,
        ended: CancellationToken,
    ) {
        let _ended = ended.drop_guard();
        let exit = tokio::select! {
            biased;
            exit = self.exit() => exit,
            () = kill.cancelled() => None,
            () = closing.cancelled() => tokio::time::timeout(GRACE, self.exit()).await.unwrap_or(None),
        };
        if exit.is_none() {
            let _ = self.child.signal(Signal::Kill).await;
        }
        self.fault
            .exited(exit.unwrap_or_else(|| "it was stopped by this program".to_owned()));
    }

    async fn exit(&self) -> Option<String> {
        Some(match self.child.wait().await {
            Ok(status) => format!("its program ended: {}", status.exit?),
            Err(error) => format!("its exit status is unknown: {error}"),
        })
    }
}
