//! A local program outside of the sandbox.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::environment;
use super::group::Group;
use crate::StdioServer;
use crate::transport::Fault;
use crate::transport::pipe::{self, Pipe, PipeGuard};

/// How long a program may take to exit after its input was closed, and again after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// How long to wait for the exit status of a program that has closed its output.
const DYING: Duration = Duration::from_millis(200);
/// The greatest size of one line of standard error, in bytes.
const ERROR_LINE: u64 = 16 << 10;

/// Starts a program and returns its transport.
pub(super) fn start(server: &StdioServer, fault: &Arc<Fault>) -> Result<Pipe, String> {
    let mut child = spawn(server)?;
    fault.started();
    let group = Group::from_child(&child);
    let (outgoing, queue) = mpsc::unbounded_channel();
    let (found, incoming) = mpsc::channel(pipe::WAITING);
    if let Some(stdin) = child.stdin.take() {
        tokio::spawn(pipe::write(stdin, queue));
    }
    if let Some(stdout) = child.stdout.take() {
        tokio::spawn(pipe::read(stdout, found, Arc::clone(fault)));
    }
    let said = child.stderr.take();
    let said = said.map(|stderr| tokio::spawn(listen(stderr, Arc::clone(fault))));
    let kill = CancellationToken::new();
    let kept = Kept {
        child,
        group,
        said,
        fault: Arc::clone(fault),
        closing: CancellationToken::new(),
        kill: kill.clone(),
    };
    let guard = PipeGuard {
        closing: kept.closing.clone(),
        kill: kill.drop_guard(),
        ended: CancellationToken::new(),
    };
    let ended = guard.ended.clone().drop_guard();
    tokio::spawn(async move {
        kept.keep().await;
        drop(ended);
    });
    Ok(Pipe::new(incoming, outgoing, Some(guard)))
}

fn spawn(server: &StdioServer) -> Result<Child, String> {
    let mut command = Command::new(&server.command);
    command
        .args(&server.arguments)
        .env_clear()
        .envs(environment::whole(server))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    if let Some(folder) = &server.folder {
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(format!(
                "its folder {folder} is not there: make it, or name another"
            ));
        }
        command.current_dir(folder);
    }
    command.spawn().map_err(|error| {
        let program = &server.command;
        match error.kind() {
            io::ErrorKind::NotFound => {
                format!("the program `{program}` is not there: install it, or write its whole path")
            }
            io::ErrorKind::PermissionDenied => {
                format!("the program `{program}` may not be run: {error}")
            }
            _ => format!("the program `{program}` cannot be run: {error}"),
        }
    })
}

/// A running program and its process group.
struct Kept {
    child: Child,
    group: Group,
    said: Option<JoinHandle<()>>,
    fault: Arc<Fault>,
    closing: CancellationToken,
    kill: CancellationToken,
}

impl Kept {
    /// Supervises the program until it has exited.
    async fn keep(mut self) {
        let status = tokio::select! {
            biased;
            status = self.child.wait() => Some(status),
            () = self.kill.cancelled() => within(DYING, &mut self.child).await,
            () = self.closing.cancelled() => self.wind_down().await,
        };
        // The processes that the program has started must not outlive it, nor hold its output open.
        self.group.kill();
        if status.is_none() {
            let _ = self.child.wait().await;
        }
        if let Some(said) = self.said.take() {
            let _ = tokio::time::timeout(DYING, said).await;
        }
        self.fault.exited(match status {
            Some(Ok(status)) => describe(status),
            Some(Err(error)) => format!("its exit status is unknown: {error}"),
            None => "it was stopped by this program".to_owned(),
        });
    }

    /// Ends the program as the protocol specifies: its input is closed already, then it gets SIGTERM, then SIGKILL.
    async fn wind_down(&mut self) -> Option<io::Result<ExitStatus>> {
        for asked in [false, true] {
            if asked {
                self.group.terminate();
            }
            tokio::select! {
                biased;
                status = within(GRACE, &mut self.child) => if status.is_some() { return status },
                () = self.kill.cancelled() => return None,
            }
        }
        None
    }
}

async fn within(time: Duration, child: &mut Child) -> Option<io::Result<ExitStatus>> {
    tokio::time::timeout(time, child.wait()).await.ok()
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("its program was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("its program ended with exit code {code}"),
        None => format!("its program ended: {status}"),
    }
}

/// Logs the standard error of the program, and stores its last lines.
async fn listen(stderr: impl AsyncRead + Unpin, fault: Arc<Fault>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut reader).take(ERROR_LINE);
        let read = bounded.read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(count) if count > 0) {
            return;
        }
        let line = String::from_utf8_lossy(&line);
        fault.record_line(&line);
    }
}
