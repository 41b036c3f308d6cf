//! The event loop of a supervisor, which waits for all sources of events at once.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::super::wire::ReplyPayload;
use super::connection::Connection;
use super::process::{Process, ProcessFd};
use super::state::SandboxSupervisor;
use crate::sandbox::ProcessId;

/// The greatest number of connections.
const CONNECTIONS: usize = 32;
/// The time that is added to the wait until the next deadline.
const MOMENT: Duration = Duration::from_millis(1);

/// The source that a descriptor in the poll list belongs to.
enum PollSource {
    Listener,
    Init,
    Watch,
    Connection(u64),
    Process(ProcessId, ProcessFd),
}

impl SandboxSupervisor {
    /// Runs the event loop until no client is connected, or until a client closes the sandbox.
    pub(super) fn serve(&mut self, app: OwnedFd) {
        self.connect(app);
        while self.closing.is_none() && !self.connections.is_empty() {
            if !self.poll_once() {
                return;
            }
        }
    }

    /// Waits for an event, and handles it.
    fn poll_once(&mut self) -> bool {
        let deadline = self.deadline();
        // The added time ensures that the deadline has passed when the wait ends.
        let left = |due: Instant| due.saturating_duration_since(Instant::now()) + MOMENT;
        let timeout = deadline.and_then(|due| Timespec::try_from(left(due)).ok());
        let awaited = {
            let (sources, mut fds) = self.awaited();
            match poll(&mut fds, timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return false,
            }
            let events = fds.iter().map(PollFd::revents);
            let happened = sources.into_iter().zip(events);
            happened
                .filter(|(_, events)| !events.is_empty())
                .collect::<Vec<_>>()
        };
        for (source, events) in awaited {
            match source {
                PollSource::Listener => self.accept(),
                PollSource::Init => self.on_init_lost(),
                PollSource::Watch => self.handle_changes(),
                PollSource::Connection(number) => self.on_readable(number, events),
                PollSource::Process(id, part) => self.on_event(&id, part),
            }
        }
        self.kill_expired();
        self.rejudge_if_due();
        if !self.waiters.is_empty() {
            // The changes of a command are checked before its end is reported.
            self.handle_changes();
        }
        self.send_ready_replies();
        self.flush();
        if self.spare_due.is_some_and(|due| due <= Instant::now()) {
            self.prepare_shim();
        }
        if self.look_due {
            self.check_deferred();
        }
        true
    }

    fn awaited(&self) -> (Vec<PollSource>, Vec<PollFd<'_>>) {
        let (mut sources, mut fds) = (Vec::new(), Vec::new());
        let mut add = |source, fd, flags| {
            sources.push(source);
            fds.push(PollFd::from_borrowed_fd(fd, flags));
        };
        if self.connections.len() < CONNECTIONS {
            let listener = self.sockets.listener.as_fd();
            add(PollSource::Listener, listener, PollFlags::IN);
        }
        if let Some(init) = &self.init {
            add(PollSource::Init, init.socket.as_fd(), PollFlags::IN);
        }
        for (number, connection) in &self.connections {
            let flags = connection.interest(self.pending_replies_of(*number));
            add(PollSource::Connection(*number), connection.socket(), flags);
        }
        for (id, process) in &self.processes {
            for (part, fd, flags) in process.poll_fds() {
                add(PollSource::Process(id.clone(), part), fd, flags);
            }
        }
        if let Some(watch) = &self.watch {
            add(PollSource::Watch, watch.as_fd(), PollFlags::IN);
        }
        (sources, fds)
    }

    /// Returns the next deadline.
    fn deadline(&self) -> Option<Instant> {
        let processes = self.processes.values().filter_map(Process::deadline);
        let waiters = self.waiters.iter().map(|waiter| waiter.deadline);
        let due = processes.chain(waiters).chain(self.spare_due);
        due.chain(self.judgement_due()).min()
    }

    fn accept(&mut self) {
        if let Ok((socket, _)) = self.sockets.listener.accept() {
            let own = rustix::process::geteuid();
            if rustix::net::sockopt::socket_peercred(&socket).is_ok_and(|peer| peer.uid == own) {
                self.connect(socket.into());
            }
        }
    }

    fn connect(&mut self, socket: OwnedFd) {
        if let Ok(connection) = Connection::from_socket(socket) {
            self.connections.insert(self.next_connection, connection);
            self.next_connection += 1;
        }
    }

    /// Sends queued data, and removes closed connections.
    fn flush(&mut self) {
        for connection in self.connections.values_mut() {
            connection.flush();
        }
        let connections = &mut self.connections;
        connections.retain(|_, connection| !connection.is_closed);
        self.waiters
            .retain(|waiter| connections.contains_key(&waiter.connection));
    }

    /// Ends all commands, and removes all files of the sandbox.
    pub(super) fn end(&mut self) {
        let ran = self.has_writers();
        self.kill_init();
        self.group = None;
        if ran {
            // No client is left that could receive the notes.
            let _ = self.check_protected_paths();
        }
        self.on_init_lost();
        self.send_ready_replies();
        if let Some(staging) = &self.staging {
            staging.remove();
        }
        let _ = std::fs::remove_dir_all(&self.sockets.spool);
        let _ = std::fs::remove_dir_all(&self.sockets.folder);
        if let Some((connection, number)) = self.closing {
            self.reply(connection, number, Ok(ReplyPayload::Done), &[]);
        }
        for (_, connection) in std::mem::take(&mut self.connections) {
            connection.close();
        }
    }

    pub(super) fn kill_init(&mut self) {
        if let Some(init) = self.init.take() {
            // No process inside survives the init process.
            super::super::os::kill_child(init.pid);
        }
    }
}
