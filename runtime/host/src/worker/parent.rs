//! The app's side of a job, which trusts no message of the worker.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc, oneshot};
use tokio::time::timeout_at;

use super::frames::{self, FrameKind, MAX_BODY_BYTES, WorkerFrame};
use super::spawner::{self, WorkerProcess};
use super::{FailureMessage, HostCall, JobLimits, JobOutput, StartMessage, WorkerError, WorkerJob};
use crate::support::reexec;

/// The memory limit of all running jobs together, in MiB.
const TOGETHER: u32 = 224;

/// The memory that no running job uses, in MiB.
static MEMORY: Semaphore = Semaphore::const_new(TOGETHER as usize);

/// A call that waits for the host's result.
type PendingCall = (HostCall, oneshot::Sender<Result<Value, String>>);

pub(super) async fn run<F, A>(
    job: &WorkerJob,
    argument: Value,
    data: Vec<u8>,
    limits: JobLimits,
    mut calls: F,
) -> Result<JobOutput, WorkerError>
where
    F: FnMut(String, Value) -> A,
    A: Future<Output = Result<Value, String>>,
{
    if !reexec::is_ready() {
        return Err(WorkerError::NotReady);
    }
    let until = Instant::now() + limits.wall;
    let start = encode(job, argument, &data, limits)?;
    let late = |_| WorkerError::Deadline(limits.wall);
    let memory = timeout_at(until.into(), memory(&limits)).await;
    let memory = memory.map_err(late)?;
    let worker = timeout_at(until.into(), spawner::take()).await;
    let worker = worker.map_err(late)?.map_err(WorkerError::Start)?;
    let _hang_up = ShutdownOnDrop(worker.socket.try_clone().map_err(WorkerError::Start)?);
    let (to_host, mut from_worker) = mpsc::unbounded_channel();
    let (send, mut ended) = oneshot::channel();
    let session = JobSession {
        worker,
        limits,
        deadline: until,
        to_host,
        data: Vec::new(),
        calls: 0,
    };
    thread::Builder::new()
        .name("helve-job".to_owned())
        .spawn(move || {
            let result = session.run(&start, &data);
            drop(memory);
            let _ = send.send(result);
        })
        .map_err(WorkerError::Start)?;
    loop {
        tokio::select! {
            biased;
            Some((call, answer)) = from_worker.recv() => {
                let HostCall { name, arguments } = call;
                let _ = answer.send(calls(name, arguments).await);
            }
            result = &mut ended => {
                return result.unwrap_or_else(|error| Err(WorkerError::Start(io::Error::other(error))));
            }
        }
    }
}

fn encode(
    job: &WorkerJob,
    argument: Value,
    data: &[u8],
    limits: JobLimits,
) -> Result<Vec<u8>, WorkerError> {
    let start = StartMessage {
        job: job.name.to_owned(),
        limits,
        argument,
        data: data.len(),
    };
    let body = serde_json::to_vec(&start).map_err(|error| WorkerError::Start(error.into()))?;
    if body.len() > MAX_BODY_BYTES {
        return Err(WorkerError::TooLarge);
    }
    Ok(body)
}

/// Waits until the memory of a job is available.
async fn memory(limits: &JobLimits) -> Option<SemaphorePermit<'static>> {
    let mib = u32::try_from(limits.memory >> 20).unwrap_or(TOGETHER);
    MEMORY.acquire_many(mib.clamp(1, TOGETHER)).await.ok()
}

/// Closes the connection to a worker when the job is dropped; the thread of the job then kills the worker.
struct ShutdownOnDrop(UnixStream);

impl Drop for ShutdownOnDrop {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// A running job, on a thread that may block.
struct JobSession {
    worker: WorkerProcess,
    limits: JobLimits,
    deadline: Instant,
    to_host: mpsc::UnboundedSender<PendingCall>,
    data: Vec<u8>,
    calls: usize,
}

impl JobSession {
    fn run(mut self, start: &[u8], data: &[u8]) -> Result<JobOutput, WorkerError> {
        let sent = self.send(start, data);
        // A worker that ended early may have sent the reason.
        let result = match sent {
            Err(error) if is_timeout(&error) => Err(error),
            _ => self.serve_frames(),
        };
        let status = self.worker.end();
        match result {
            Ok(Some(ended)) => ended.map(|result| JobOutput {
                result,
                data: self.data,
            }),
            Ok(None) => {
                let status = status.map_err(WorkerError::Start)?;
                let code = status.code().unwrap_or_default();
                Err(match status.signal() {
                    Some(signal) => WorkerError::Killed { signal },
                    None => WorkerError::Exited { code },
                })
            }
            Err(error) if is_timeout(&error) => Err(WorkerError::Deadline(self.limits.wall)),
            Err(error) => Err(WorkerError::Protocol(error.to_string())),
        }
    }

    fn send(&mut self, start: &[u8], data: &[u8]) -> io::Result<()> {
        let mut to = self.stream();
        frames::write(&mut to, FrameKind::Start, start)?;
        data.chunks(MAX_BODY_BYTES)
            .try_for_each(|chunk| frames::write(&mut to, FrameKind::Data, chunk))
    }

    /// Handles the frames of the worker until the last one; `None` if the last frame is missing.
    fn serve_frames(&mut self) -> io::Result<Option<Result<Value, WorkerError>>> {
        loop {
            let Some(WorkerFrame { kind, body }) = frames::read(&mut self.stream())? else {
                return Ok(None);
            };
            match kind {
                FrameKind::Data if self.data.len() + body.len() > self.limits.output => {
                    return Err(invalid("it sends more data than it may"));
                }
                // Empty frames could be sent without end.
                FrameKind::Data if body.is_empty() => return Err(invalid("it sends empty data")),
                FrameKind::Data => self.data.extend_from_slice(&body),
                FrameKind::Call => self.answer(&body)?,
                FrameKind::Done => return Ok(Some(Ok(parse(&body)?))),
                FrameKind::Failed => {
                    return Ok(Some(Err(match parse(&body)? {
                        FailureMessage::Confine(why) => WorkerError::Confine(why),
                        FailureMessage::Job(why) => WorkerError::Job(why),
                    })));
                }
                FrameKind::Start | FrameKind::Return => {
                    return Err(invalid("it sends a frame that only the app sends"));
                }
            }
        }
    }

    /// Lets the host answer a call. The time of the call does not count for the worker.
    fn answer(&mut self, body: &[u8]) -> io::Result<()> {
        self.calls += 1;
        if self.calls > self.limits.calls {
            return Err(invalid("it calls its host more often than it may"));
        }
        let call = parse(body)?;
        let asked = Instant::now();
        let (answer, answered) = oneshot::channel();
        let gone = || io::Error::from(ErrorKind::BrokenPipe);
        self.to_host.send((call, answer)).map_err(|_| gone())?;
        let answer = answered.blocking_recv().map_err(|_| gone())?;
        self.deadline += asked.elapsed();
        let mut body = serde_json::to_vec(&answer)?;
        if body.len() > MAX_BODY_BYTES {
            let too_large = "the host's answer is larger than 1 MiB".to_owned();
            body = serde_json::to_vec(&Err::<Value, _>(too_large))?;
        }
        frames::write(&mut self.stream(), FrameKind::Return, &body)
    }

    fn stream(&self) -> DeadlineStream<'_> {
        DeadlineStream {
            socket: &self.worker.socket,
            deadline: self.deadline,
        }
    }
}

fn parse<T: serde::de::DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    serde_json::from_slice(body).map_err(|_| invalid("a frame is not what its kind says"))
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A socket whose operations fail at a deadline.
struct DeadlineStream<'a> {
    socket: &'a UnixStream,
    deadline: Instant,
}

impl DeadlineStream<'_> {
    fn remaining(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(left)
    }
}

impl Read for DeadlineStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.remaining()?))?;
        self.socket.read(buffer)
    }
}

impl Write for DeadlineStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.remaining()?))?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
