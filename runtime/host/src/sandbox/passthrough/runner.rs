//! The thread of one process, which handles its streams, its time limit and its end.

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::process::PassthroughProcess;
use super::spawn::SpawnedChild;
use crate::sandbox::{Exit, Limit, Limits, OutputStream, Signal};

/// The greatest number of reads of one stream before the others are read.
const READ_BUDGET: usize = 16;
/// The greatest number of buffered bytes that are read of one stream after the end of its process, before that end is
/// reported.
const FINAL_READ_BUDGET: usize = 4 << 20;
/// The polling interval if the kernel does not report the end.
#[cfg(not(target_os = "linux"))]
const LOOK: Duration = Duration::from_millis(10);

pub(super) struct ProcessRunner {
    process: Arc<PassthroughProcess>,
    child: Child,
    /// A descriptor that is readable when the child has ended, if the kernel supports that.
    exit_fd: Option<OwnedFd>,
    outputs: Vec<(OutputStream, OwnedFd)>,
    input: Option<OwnedFd>,
    has_terminal: bool,
    wake_receiver: UnixStream,
    deadline: Option<Instant>,
    is_timed_out: bool,
    has_ended: bool,
    limits: Limits,
    buffer: Vec<u8>,
}

impl ProcessRunner {
    /// Takes over a running process; its time limit starts now.
    pub(super) fn new(
        process: Arc<PassthroughProcess>,
        spawned: SpawnedChild,
        limits: Limits,
        woken: UnixStream,
    ) -> Self {
        let has_terminal = spawned.terminal.is_some();
        *process.terminal.lock() = spawned.terminal;
        if has_terminal {
            process.end_stream(OutputStream::Stderr);
        }
        let wall_time = limits.wall_time;
        Self {
            exit_fd: open_exit_fd(&spawned.child),
            process,
            child: spawned.child,
            outputs: spawned.outputs,
            input: spawned.input,
            has_terminal,
            wake_receiver: woken,
            deadline: wall_time.and_then(|time| Instant::now().checked_add(time)),
            is_timed_out: false,
            has_ended: false,
            limits,
            buffer: vec![0; 64 << 10],
        }
    }

    /// Serves the process until it has ended and its streams have no writer.
    pub(super) fn run(mut self) {
        while !(self.has_ended && self.outputs.is_empty()) {
            if self.process.is_abandoned() || self.wait().is_err() {
                self.abandon();
                break;
            }
            self.drain_wakes();
            self.write();
            self.read_all(READ_BUDGET);
            self.enforce_deadline();
            self.poll_child_exit();
        }
        self.close_input();
        for (stream, _) in std::mem::take(&mut self.outputs) {
            self.process.end_stream(stream);
        }
        *self.process.terminal.lock() = None;
    }

    fn wait(&mut self) -> io::Result<()> {
        let mut wanted = vec![PollFd::new(&self.wake_receiver, PollFlags::IN)];
        if let Some(ending) = self.exit_fd.as_ref().filter(|_| !self.has_ended) {
            wanted.push(PollFd::new(ending, PollFlags::IN));
        }
        let outputs = self.outputs.iter();
        wanted.extend(outputs.map(|(_, output)| PollFd::new(output, PollFlags::IN)));
        if let Some(input) = &self.input {
            // Without pending writes, only the event of a closed reader is polled.
            let waits = !self.process.input.lock().writes.is_empty();
            let flags = if waits {
                PollFlags::OUT
            } else {
                PollFlags::empty()
            };
            wanted.push(PollFd::new(input, flags));
        }
        match poll(&mut wanted, self.timeout().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::ERR | PollFlags::HUP;
        let is_gone = |input: &PollFd<'_>| input.revents().intersects(gone);
        if self.input.is_some() && wanted.last().is_some_and(is_gone) {
            self.close_input();
        }
        Ok(())
    }

    fn timeout(&self) -> Option<Timespec> {
        if self.has_ended {
            return None;
        }
        let left = self
            .deadline
            .filter(|_| !self.is_timed_out)
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        #[cfg(not(target_os = "linux"))]
        let left = Some(left.map_or(LOOK, |left| left.min(LOOK)));
        left.and_then(|left| Timespec::try_from(left + Duration::from_micros(100)).ok())
    }

    fn drain_wakes(&mut self) {
        let mut bytes = [0; 64];
        while matches!(self.wake_receiver.read(&mut bytes), Ok(read) if read == bytes.len()) {}
    }

    /// Writes the pending bytes, as far as the process accepts them.
    fn write(&mut self) {
        let Some(input) = &self.input else {
            return self.close_input();
        };
        let mut queue = self.process.input.lock();
        while let Some(piece) = queue.writes.front_mut() {
            while piece.written < piece.bytes.len() {
                match rustix::io::write(input, &piece.bytes[piece.written..]) {
                    Ok(written) => piece.written += written,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return,
                    Err(_) => {
                        drop(queue);
                        return self.close_input();
                    }
                }
            }
            let Some(piece) = queue.writes.pop_front() else {
                return;
            };
            if piece.end && self.has_terminal {
                // A terminal is not closed: the end is sent as a character, twice after an incomplete line.
                let is_begun = piece.bytes.last().is_some_and(|&last| last != b'\n');
                let end: &[u8] = if is_begun { &[4, 4] } else { &[4] };
                let _ = rustix::io::write(input, end);
            }
            let is_end = piece.end;
            let _ = piece.done.send(());
            if is_end {
                drop(queue);
                return self.close_input();
            }
        }
    }

    /// Closes the input: a pending or later write fails.
    fn close_input(&mut self) {
        self.input = None;
        let mut queue = self.process.input.lock();
        queue.is_open = false;
        queue.writes.clear();
    }

    /// Reads each output with at most `pieces` reads, and removes outputs that have ended.
    fn read_all(&mut self, pieces: usize) {
        let mut outputs = std::mem::take(&mut self.outputs);
        outputs.retain(|(stream, output)| {
            let has_ended = self.read(*stream, output, pieces);
            if has_ended {
                self.process.end_stream(*stream);
            }
            !has_ended
        });
        self.outputs = outputs;
    }

    /// Reads from an output, and reports whether it has ended.
    fn read(&mut self, stream: OutputStream, output: &OwnedFd, pieces: usize) -> bool {
        for _ in 0..pieces {
            match rustix::io::read(output, &mut self.buffer[..]) {
                Ok(0) => return true,
                Ok(read) => self.process.record_output(stream, &self.buffer[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                // A terminal whose other end is closed reports the end as an error.
                Err(_) => return true,
            }
        }
        false
    }

    /// Kills a process that exceeds its time limit.
    fn enforce_deadline(&mut self) {
        let is_over = |deadline: Instant| deadline <= Instant::now();
        if !self.has_ended && !self.is_timed_out && self.deadline.is_some_and(is_over) {
            // A process that ended by itself just now did not exceed its limit.
            self.is_timed_out = matches!(self.has_child_exited(), Ok(false));
            if self.is_timed_out {
                self.process.signal(Signal::Kill);
            }
        }
    }

    fn has_child_exited(&self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or(io::ErrorKind::NotFound)?;
        // The child is not reaped, so that its PID is not reused.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(pid), options)?.is_some())
    }

    /// Reports the end of the child, after all output that was written before it.
    fn poll_child_exit(&mut self) {
        if self.has_ended || !matches!(self.has_child_exited(), Ok(true)) {
            return;
        }
        self.read_all(FINAL_READ_BUDGET / self.buffer.len());
        self.reap();
    }

    fn reap(&mut self) {
        let mut leader = self.process.leader.lock();
        let status = self.child.wait();
        *leader = None;
        drop(leader);
        self.has_ended = true;
        let exit = status.map_or(Exit::Lost, |status| self.exit(status));
        self.close_input();
        self.process.set_exited(exit);
    }

    fn exit(&self, status: ExitStatus) -> Exit {
        if self.is_timed_out {
            return Exit::TimedOut;
        }
        match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(libc::SIGXCPU)) if self.limits.cpu_time.is_some() => {
                Exit::Limit(Limit::CpuTime)
            }
            (None, Some(libc::SIGXFSZ)) if self.limits.file_size.is_some() => {
                Exit::Limit(Limit::FileSize)
            }
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Lost,
        }
    }

    /// Kills the child at once; the code that closes the sandbox kills its descendants.
    fn abandon(&mut self) {
        if !self.has_ended {
            let _ = self.child.kill();
            self.reap();
        }
    }
}

/// Opens a descriptor by which the kernel reports the end of a child.
#[cfg(target_os = "linux")]
fn open_exit_fd(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = Pid::from_raw(i32::try_from(child.id()).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_exit_fd(_: &Child) -> Option<OwnedFd> {
    None
}
