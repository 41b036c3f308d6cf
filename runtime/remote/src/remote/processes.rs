//! Processes on the remote host, by their IDs.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Mutex;

use super::host::{HostReply, RemoteCall, RemoteHost, WAIT, arg, failure, nonce, path_arg};
use super::process_script::{ProcessRecord, RemoteConfig, terminal_size};
use super::transport::{CommandInput, invalid_data};
use helve_core::sandbox::search_path::TEMPORARY;
use helve_core::sandbox::{
    Exit, Limit, Limits, OutputChunk, OutputStream, ProcessId, ProcessSpec, ProcessStatus,
    ReadOutput, SandboxError, SearchPath, Signal, Stdin, TerminalSize,
};

/// The time limit for a process to read its input.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// The greatest offset that a shell can represent.
const MAX_OFFSET: u64 = i64::MAX as u64;

/// The greatest number of attempts to read output that is removed during the read.
const MAX_ATTEMPTS: usize = 5;

#[derive(Debug, Clone)]
pub(crate) struct Processes {
    host: RemoteHost,
    record: Arc<RemoteConfig>,
    search_path: Arc<SearchPath>,
    write_locks: Arc<helve_core::support::lock::Mutex<BTreeMap<ProcessId, Arc<Mutex<()>>>>>,
}

impl Processes {
    pub(crate) fn new(host: RemoteHost, config: RemoteConfig) -> Self {
        let written = config.roots.iter().cloned();
        let written = written.chain(TEMPORARY.map(PathBuf::from));
        let search_path = match config.environment.get("PATH") {
            Some(path) => SearchPath::for_remote(path, written),
            None => SearchPath::for_local(None, written),
        };
        Self {
            host,
            record: Arc::new(config),
            search_path: Arc::new(search_path),
            write_locks: Arc::default(),
        }
    }

    pub(crate) fn search_path(&self) -> &SearchPath {
        &self.search_path
    }

    /// Calls the scripts, and retries if the connection breaks.
    async fn call(
        &self,
        doing: &str,
        call: impl Fn() -> RemoteCall,
    ) -> Result<HostReply, SandboxError> {
        let reply = self.host.call_idempotent(call).await;
        reply.map_err(|error| failure(doing, error))
    }

    /// Starts a process. The start completes even if its future is dropped: a partial request would start no process.
    pub(crate) async fn start(&self, spec: ProcessSpec) -> Result<ProcessStatus, SandboxError> {
        let this = self.clone();
        run_detached(async move { this.start_detached(spec).await }).await
    }

    async fn start_detached(&self, spec: ProcessSpec) -> Result<ProcessStatus, SandboxError> {
        let doing = "starting a process";
        let folder = self.record.working_folder(&spec);
        let script = self
            .record
            .script(self.host.id(), &spec, &folder)?
            .into_bytes();
        let (rows, columns) = terminal_size(spec.terminal);
        let milliseconds = spec
            .limits
            .wall_time
            .map_or(0, |time| time.as_millis().max(1));
        let environment = self.record.environment(&spec);
        let stdin = match spec.stdin {
            Stdin::Open => "open",
            Stdin::Empty => "empty",
        };
        let words = vec![
            arg("start"),
            arg(spec.id.as_str()),
            arg(script.len().to_string()),
            arg(stdin),
            arg(spec.limits.output.max(1).to_string()),
            arg(milliseconds.to_string()),
            arg(rows.to_string()),
            arg(columns.to_string()),
            path_arg(&folder),
            arg(environment.get("PATH").map_or("", String::as_str)),
            arg(spec.argv.first().map_or("", String::as_str)),
            // A repeated request refers to the same process, not to another process with the same name.
            arg(nonce()),
        ];
        let call = || RemoteCall::new(words.clone()).input(CommandInput::Bytes(script.clone()));
        let reply = self.call(doing, call).await?;
        let program = || spec.argv.first().cloned().unwrap_or_default();
        let why = reply.line_rest().to_owned();
        Err(match reply.words()[0] {
            "ok" => return Ok(ProcessStatus::new(spec.id, spec.argv)),
            "exists" => SandboxError::ProcessExists { id: spec.id },
            "absent" => SandboxError::ProgramNotFound {
                program: program(),
                why,
            },
            "missing" => SandboxError::CannotStart {
                program: program(),
                why,
            },
            _ => unexpected_reply(doing, &spec.id, &reply),
        })
    }

    pub(crate) async fn read(&self, read: ReadOutput) -> Result<OutputChunk, SandboxError> {
        let stream = match read.stream {
            OutputStream::Stdout => "1",
            OutputStream::Stderr => "2",
        };
        let max = read.max.min(OutputChunk::LIMIT);
        let (mut wait, mut attempts) = (read.wait, MAX_ATTEMPTS);
        loop {
            let slice = wait.min(WAIT);
            let call = || {
                let words = vec![
                    arg("read"),
                    arg(read.process.as_str()),
                    arg(stream),
                    arg(read.offset.min(MAX_OFFSET).to_string()),
                    arg(max.to_string()),
                    arg(slice.as_millis().to_string()),
                ];
                RemoteCall::new(words).bytes(max).with_extra_time(slice)
            };
            let doing = "reading the output of a process";
            let reply = expect_ok(doing, &read.process, self.call(doing, call).await?)?;
            let (chunk, announced) = parse_chunk(reply).map_err(|error| failure(doing, error))?;
            if chunk.bytes.len() != announced && attempts > 0 {
                attempts -= 1;
                continue;
            }
            wait -= slice;
            if !chunk.bytes.is_empty() || chunk.end || wait.is_zero() || max == 0 {
                return Ok(chunk);
            }
        }
    }

    /// Writes all bytes to a process, even if the future is dropped.
    pub(crate) async fn write(
        &self,
        process: &ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> Result<(), SandboxError> {
        let (this, process) = (self.clone(), process.clone());
        // The lock is requested immediately, so that writes keep the order in which they were begun.
        let mut lock = Box::pin(self.write_lock(&process).lock_owned());
        let first = poll_fn(|context| Poll::Ready(lock.as_mut().poll(context))).await;
        run_detached(async move {
            let _guard = match first {
                Poll::Ready(guard) => guard,
                Poll::Pending => lock.await,
            };
            this.write_detached(&process, bytes, end).await
        })
        .await
    }

    /// Returns the lock for writes to a process: the bytes of concurrent writes would interleave.
    fn write_lock(&self, process: &ProcessId) -> Arc<Mutex<()>> {
        let mut locks = self.write_locks.lock();
        locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(locks.entry(process.clone()).or_default())
    }

    async fn write_detached(
        &self,
        process: &ProcessId,
        bytes: Vec<u8>,
        end: bool,
    ) -> Result<(), SandboxError> {
        let words = vec![
            arg("write"),
            arg(process.as_str()),
            arg(bytes.len().to_string()),
            arg(if end { "1" } else { "0" }),
            // A repeated request refers to the same bytes, which are written once.
            arg(nonce()),
        ];
        let call = || {
            RemoteCall::new(words.clone())
                .input(CommandInput::Bytes(bytes.clone()))
                .with_extra_time(WRITE_TIMEOUT)
        };
        let doing = "writing to a process";
        let reply = self.call(doing, call).await?;
        if reply.words()[0] == "closed" {
            let id = process.clone();
            return Err(SandboxError::InputClosed { id });
        }
        expect_ok(doing, process, reply).map(drop)
    }

    pub(crate) async fn resize(
        &self,
        process: &ProcessId,
        size: TerminalSize,
    ) -> Result<(), SandboxError> {
        let (rows, columns) = terminal_size(Some(size));
        let (rows, columns) = (rows.to_string(), columns.to_string());
        let doing = "resizing a terminal";
        let call = || RemoteCall::new(["resize", process.as_str(), &rows, &columns]);
        let reply = self.call(doing, call).await?;
        if reply.words()[0] == "closed" {
            let id = process.clone();
            return Err(SandboxError::NoTerminal { id });
        }
        expect_ok(doing, process, reply).map(drop)
    }

    pub(crate) async fn signal(
        &self,
        process: &ProcessId,
        signal: Signal,
    ) -> Result<(), SandboxError> {
        let (name, number) = match signal {
            Signal::Hangup => ("HUP", "1"),
            Signal::Interrupt => ("INT", "2"),
            Signal::Kill => ("KILL", "9"),
            Signal::Terminate => ("TERM", "15"),
        };
        let doing = "signalling a process";
        let call = RemoteCall::new(["signal", process.as_str(), name, number]);
        let reply = self.host.ask(call).await;
        let reply = reply.map_err(|error| failure(doing, error))?;
        expect_ok(doing, process, reply).map(drop)
    }

    pub(crate) async fn status(
        &self,
        process: &ProcessId,
        mut wait: Duration,
    ) -> Result<ProcessStatus, SandboxError> {
        let doing = "asking for the status of a process";
        loop {
            let slice = wait.min(WAIT);
            let milliseconds = slice.as_millis().to_string();
            let call = || {
                RemoteCall::new(["status", process.as_str(), &milliseconds])
                    .bytes(MAX_ARGUMENT_BYTES)
                    .with_extra_time(slice)
            };
            let reply = expect_ok(doing, process, self.call(doing, call).await?)?;
            let record = String::from_utf8_lossy(&reply.body);
            let status = parse_status(reply.line(), &record);
            let status = status.map_err(|error| failure(doing, error))?;
            wait -= slice;
            if status.exit.is_some() || wait.is_zero() {
                return Ok(status);
            }
        }
    }

    /// Ends all processes, and their descendants. The processes of a container end with it.
    pub(crate) async fn end(&self) -> Result<(), SandboxError> {
        let doing = "ending the sandbox";
        let call = || RemoteCall::new(["end"]);
        let reply = match self.host.call_idempotent(call).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            reply => reply.map_err(|error| failure(doing, error))?,
        };
        if reply.words()[0] == "ok" {
            return Ok(());
        }
        Err(failure(
            doing,
            io::Error::other(reply.line_rest().to_owned()),
        ))
    }

    pub(crate) async fn list(&self) -> Result<Vec<ProcessStatus>, SandboxError> {
        let doing = "listing processes";
        let call = || RemoteCall::new(["list"]).bytes(MAX_LIST_BYTES);
        let reply = self.call(doing, call).await?;
        let body = String::from_utf8_lossy(&reply.body);
        let mut lines = body.lines();
        let mut all = Vec::new();
        while let (Some(line), Some(record)) = (lines.next(), lines.next()) {
            all.push(parse_status(line, record).map_err(|error| failure(doing, error))?);
        }
        Ok(all)
    }
}

/// Runs `work` to its end, even if the future that waits for it is dropped.
async fn run_detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, SandboxError>> + Send + 'static,
) -> Result<T, SandboxError> {
    let done = tokio::spawn(work).await;
    done.unwrap_or_else(|error| Err(failure("asking the sandbox", io::Error::other(error))))
}

/// The size limit of the arguments of one process as JSON, and of those of all processes in a list, in bytes.
const MAX_ARGUMENT_BYTES: usize = 8 << 20;
const MAX_LIST_BYTES: usize = 64 << 20;

/// Parses `ok OFFSET LENGTH TOTAL ENDED` and the bytes; also returns the announced length.
fn parse_chunk(reply: HostReply) -> io::Result<(OutputChunk, usize)> {
    let numbers: Option<Vec<u64>> = reply
        .line_rest()
        .split(' ')
        .map(|number| number.parse().ok())
        .collect();
    match numbers.as_deref() {
        Some(&[offset, length, total, ended]) => {
            let announced = usize::try_from(length).map_err(io::Error::other)?;
            Ok((
                OutputChunk::new(offset, reply.body, total, ended == 1),
                announced,
            ))
        }
        _ => Err(invalid_data(format!("`{}` was answered", reply.line()))),
    }
}

/// Parses `ok NAME STDOUT STDERR EXIT` and the record after `#`.
fn parse_status(line: &str, record: &str) -> io::Result<ProcessStatus> {
    let wrong = || invalid_data(format!("`{line}` was answered"));
    let mut words = line.splitn(5, ' ').skip(1);
    let mut next = || words.next().ok_or_else(wrong);
    let id = ProcessId::new(next()?).map_err(|_| wrong())?;
    let stdout = next()?.parse().map_err(|_| wrong())?;
    let stderr = next()?.parse().map_err(|_| wrong())?;
    let exit = next()?;
    let record: ProcessRecord = record
        .trim_end()
        .strip_prefix('#')
        .and_then(|json| serde_json::from_str(json).ok())
        .ok_or_else(|| invalid_data("the record of a process is invalid"))?;
    let mut status = ProcessStatus::new(id, record.argv);
    status.stdout = stdout;
    status.stderr = stderr;
    status.exit = parse_exit(exit, &record.limits).ok_or_else(wrong)?;
    Ok(status)
}

/// Parses an exit; the outer `None` is an invalid text, the inner one a running process.
fn parse_exit(text: &str, limits: &Limits) -> Option<Option<Exit>> {
    let exit = match text.split_once(' ') {
        None if text == "running" => return Some(None),
        None if text == "lost" => Exit::Lost,
        None if text == "timeout" => Exit::TimedOut,
        // SIGXCPU and SIGXFSZ have these numbers on Linux; they are sent for no other reason.
        Some(("signal", "24")) if limits.cpu_time.is_some() => Exit::Limit(Limit::CpuTime),
        Some(("signal", "25")) if limits.file_size.is_some() => Exit::Limit(Limit::FileSize),
        Some(("signal", number)) => Exit::Signal(number.parse().ok()?),
        Some(("code", number)) => Exit::Code(number.parse().ok()?),
        _ => return None,
    };
    Some(Some(exit))
}

/// Checks that a reply starts with `ok`.
fn expect_ok(
    doing: &str,
    process: &ProcessId,
    reply: HostReply,
) -> Result<HostReply, SandboxError> {
    if reply.words()[0] == "ok" {
        return Ok(reply);
    }
    Err(unexpected_reply(doing, process, &reply))
}

fn unexpected_reply(doing: &str, process: &ProcessId, reply: &HostReply) -> SandboxError {
    if reply.line() == "unknown" {
        return SandboxError::UnknownProcess {
            id: process.clone(),
        };
    }
    failure(doing, io::Error::other(reply.line_rest().to_owned()))
}
